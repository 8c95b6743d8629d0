/** The rule for user names, as the end of the sentence "must be …". */
export const USER_NAME_RULE =
  "1 to 32 characters of a-z, 0-9, _ and -, starting with a letter or digit";

export function isUserName(text: string): boolean {
  return /^[a-z0-9][a-z0-9_-]{0,31}$/.test(text);
}

/** Turns any text, such as an operating system's user name, into the closest valid user name. */
export function toUserName(text: string): string {
  const name = text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}/gu, "")
    .replace(/[^a-z0-9_-]+/g, "-")
    .replace(/^[-_]+|-+$/g, "")
    .slice(0, 32);
  return isUserName(name) ? name : "owner";
}
