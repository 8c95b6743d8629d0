/** A script for macOS, imported as text. */
declare module "*.jxa" {
  const text: string;
  export default text;
}
