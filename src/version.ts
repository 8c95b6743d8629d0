import packageJson from "../package.json";

/** The product's version, as released. */
export const VERSION: string = packageJson.version;
