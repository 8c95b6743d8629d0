/** The path of an imported picture (`{ type: "file" }`): in the source tree or the executable. */
declare module "*.webp" {
  const path: string;
  export default path;
}
