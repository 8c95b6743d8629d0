/** The path of an imported font (`{ type: "file" }`): in the source tree or the executable. */
declare module "*.woff2" {
  const path: string;
  export default path;
}
