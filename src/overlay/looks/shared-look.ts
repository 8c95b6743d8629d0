import { savedOptionList } from "../../../widget/options.ts";
import { readKeyName } from "../../accounts/key-name.ts";
import { isUsableCss, type Look } from "../../looks/look.ts";
import { isRecord, parseFields } from "../../upstream/json.ts";
import { isSide, sizeOf } from "../../../widget/source-size.ts";

/** A look as one streamer gives it to another: as JSON, or within a link. */
export interface SharedLook extends Look {
  readonly name: string;
}

/** Why a text is not a look. */
export type LookMistake =
  | { readonly kind: "empty" | "tooLong" | "noLook" | "version" }
  | { readonly kind: "name" | "options" | "css" | "size" }
  | { readonly kind: "value"; readonly option: string; readonly value: string };

export type ReadLook =
  | {
      readonly look: SharedLook;
      /** Names of options that this version of Marquee does not know. */
      readonly unknown: readonly string[];
    }
  | { readonly mistake: LookMistake };

const VERSION = 1;
/** In UTF-16 units. What forms send must stay below the server's limit for a body. */
export const LONGEST_SHARED_LOOK = 60_000;
const MOST_OPTIONS = 100;
const LONGEST_OPTION_NAME = 40;
const LONGEST_VALUE = 300;

/** What stands in a link before the look. It is a fragment, so that browsers do not send it. */
const FRAGMENT = "#look=";
/** Keys, tokens and secrets of Marquee; see `src/accounts/credential.ts`. */
const CREDENTIAL = /mq[a-z]?_[0-9A-Za-z]+/g;

/** A look as JSON, without anything that opens something: what looks like a credential is left out. */
export function sharedLookJson({ name, options, css, size }: SharedLook): string {
  const { width, height } = sizeOf({ size, options });
  return JSON.stringify({
    marquee: VERSION,
    name: readKeyName(withoutCredentials(name)) ?? "Marquee",
    options: Object.fromEntries(
      Object.entries(options).map((entry) => entry.map(withoutCredentials)),
    ),
    css: withoutCredentials(css),
    size: [width, height],
  });
}

/** A link to the dashboard of whoever opens it. @param page the address of the page for widgets */
export const sharedLookLink = (page: string, look: SharedLook): string =>
  `${page}${FRAGMENT}${Buffer.from(sharedLookJson(look)).toString("base64url")}`;

function withoutCredentials(text: string): string {
  const cleaned = text.replace(CREDENTIAL, "");
  // What is left on both sides of one could make another.
  return cleaned === text ? text : withoutCredentials(cleaned);
}

/** Reads JSON, or a link, that somebody pasted. */
export function readSharedLook(pasted: string): ReadLook {
  const text = pasted.trim();
  if (text === "") return { mistake: { kind: "empty" } };
  if (text.length > LONGEST_SHARED_LOOK) return { mistake: { kind: "tooLong" } };
  const at = text.startsWith("{") ? -1 : text.indexOf(FRAGMENT);
  const json =
    at === -1 ? text : Buffer.from(text.slice(at + FRAGMENT.length), "base64url").toString();
  const given = parseFields(json);
  return given ? readLookDocument(given) : { mistake: { kind: "noLook" } };
}

/** Reads a look from parsed JSON. */
function readLookDocument(given: Readonly<Record<string, unknown>>): ReadLook {
  if (!("marquee" in given)) return { mistake: { kind: "noLook" } };
  if (given["marquee"] !== VERSION) return { mistake: { kind: "version" } };
  const name = typeof given["name"] === "string" ? readKeyName(given["name"]) : undefined;
  if (name === undefined) return { mistake: { kind: "name" } };

  const options = readTexts(given["options"] ?? {});
  if (!options) return { mistake: { kind: "options" } };
  const unknown: string[] = [];
  for (const [option, value] of Object.entries(options)) {
    const [, known] = savedOptionList.find(([one]) => one === option) ?? [];
    if (!known) unknown.push(option);
    else if (known.parse(value) === undefined) {
      return { mistake: { kind: "value", option, value } };
    }
  }

  const css = given["css"] ?? "";
  if (typeof css !== "string" || !isUsableCss(css)) {
    return { mistake: { kind: "css" } };
  }
  const size = readSize(given["size"] ?? null);
  if (size === undefined) return { mistake: { kind: "size" } };
  const usual = sizeOf({ size: null, options });
  const isUsual = size?.width === usual.width && size.height === usual.height;
  return { look: { name, options, css, size: isUsual ? null : size }, unknown };
}

/** Options with their texts; `undefined` when they are something else, or too many or too long. */
function readTexts(value: unknown): Record<string, string> | undefined {
  if (!isRecord(value)) return undefined;
  const entries = Object.entries(value);
  const isText = (entry: [string, unknown]): entry is [string, string] =>
    entry[0].length <= LONGEST_OPTION_NAME &&
    typeof entry[1] === "string" &&
    entry[1].length <= LONGEST_VALUE;
  if (entries.length > MOST_OPTIONS || !entries.every(isText)) return undefined;
  return Object.fromEntries(entries);
}

/** `[width, height]` in pixels; `undefined` when it is wrong. */
function readSize(value: unknown): Look["size"] | undefined {
  if (value === null) return null;
  if (!Array.isArray(value) || value.length !== 2) return undefined;
  const [width, height]: readonly unknown[] = value;
  return isSide(width) && isSide(height) ? { width, height } : undefined;
}
