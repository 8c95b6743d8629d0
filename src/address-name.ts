/**
 * What may be said of an address: its query, fragment, user and password may be secrets, and so may be
 * what follows the path in an address without a scheme, such as `stream?u=ada&t=1a2b`.
 */

/** A scheme has two letters at least: one letter is a drive. */
const SCHEME = /^[a-z][a-z0-9+.-]+:\/\//i;
const LOCAL_FILE = /^file:\/\/[^/@]*\//i;
/** A query has a name and an equals sign, or follows a file's extension. A question may have neither. */
const QUERY = /\?[\w.~%[\]-]+=|(?<=\.[0-9a-z]{2,5})\?\w/i;
/**
 * A question mark, a number sign, a parameter of the path, or the query of an address in the path. An encoded
 * query is looked for from the first mark in a row only: else a text of many would be read once for each.
 */
const AFTER_PATH = /[?#]|;\w+=|%3f(?<!%3f[\w.~%-]*?%3f)[\w.~%-]+?(?:=|%3d)/i;
const EXTENSION = /\.(?=\d*[a-z])[0-9a-z]{1,5}$/i;
/** Schemes are short; a word may be as long as its text. */
const ADDRESS_IN_TEXT = /[a-z][a-z0-9+.-]{1,30}:\/\/\S+/gi;

/** Whether a text has an address in it that may carry a secret. A local file's carries none. */
export const holdsAddress = (text: string): boolean =>
  !LOCAL_FILE.test(text) && (text.includes("://") || QUERY.test(text));

/** Whether a text is the address or the path of a file, or of a stream. */
export const isAddressOrPath = (text: string): boolean =>
  SCHEME.test(text) || QUERY.test(text) || EXTENSION.test(text);

/** An address without its query, fragment, user and password. */
export function withoutSecrets(address: string): string {
  const [scheme = ""] = SCHEME.exec(address) ?? [];
  const rest = address.slice(scheme.length);
  if (LOCAL_FILE.test(address)) return address;
  const end = rest.search(scheme === "" ? QUERY : AFTER_PATH);
  const bare = end === -1 ? rest : rest.slice(0, end);
  if (scheme === "") return bare;
  // A password may hold a slash that should have been encoded.
  const [authority = ""] = URL.canParse(address) ? bare.split("/") : [bare];
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  return scheme + host + bare.slice(authority.length);
}

/**
 * The name in an address or in a path: the last part of the path, decoded, without a file's extension;
 * the host where there is no path.
 */
export function nameOfAddress(address: string): string {
  const bare = withoutSecrets(address.trim());
  const isEncoded = SCHEME.test(address) || QUERY.test(address);
  const parts = bare.replace(SCHEME, "").split(isEncoded ? "/" : /[/\\]/);
  const last = parts.findLast((part) => part !== "") ?? bare;
  const name = isEncoded ? decodedPath(last) : last;
  // Servers that pass on another one's stream have its whole address in their path.
  if (name !== last && holdsAddress(name)) return nameOfAddress(name);
  const hasHost = SCHEME.test(bare) && !LOCAL_FILE.test(bare);
  const isHost = hasHost && parts.filter((part) => part !== "").length < 2;
  return isHost ? name : withoutExtension(name);
}

/** A file's name without its extension. */
export const withoutExtension = (name: string): string => name.replace(EXTENSION, "");

/** A text in which an address is replaced by its name, or by itself without what may be secret. */
export function withoutAddresses(text: string): string {
  if (!text.includes("://") && !text.includes("?")) return text;
  const trimmed = text.trim();
  // A query may have spaces in it that should have been encoded.
  const isAddress = SCHEME.test(trimmed) && (!/\s/.test(trimmed) || QUERY.test(trimmed));
  if (isAddress) return nameOfAddress(trimmed);
  const named = text.replace(ADDRESS_IN_TEXT, withoutSecrets);
  if (!QUERY.test(named)) return named;
  return /\s/.test(named) ? withoutSecrets(named) : nameOfAddress(named);
}

/** A path, or a part of one, without percent-encoding; as it is where that is broken. */
export function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
