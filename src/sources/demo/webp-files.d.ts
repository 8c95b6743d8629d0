/** Where a picture is, imported with `{ type: "file" }`: in the tree, or inside the executable. */
declare module "*.webp" {
  const path: string;
  export default path;
}
