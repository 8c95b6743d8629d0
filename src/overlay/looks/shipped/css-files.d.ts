/** A style sheet's text, imported with `{ type: "text" }`. */
declare module "*.css" {
  const text: string;
  export default text;
}
