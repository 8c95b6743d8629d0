/** Kita escapes quotes in attributes; an ampersand has to be escaped by hand. */
export const attribute = (text: string): string => text.replaceAll("&", "&amp;");
