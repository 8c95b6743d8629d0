import { matchingTrimmed } from "../field.ts";
import type { SourceAddress, SourceOption } from "./source.ts";
import { hostOf } from "../ip-address.ts";
import { LONGEST_ADDRESS } from "../text-limits.ts";

/** The options with which users enter a server of their own. */

export const urlOption = (help: string, fallback?: string) =>
  ({
    placeholder: "http://host:port",
    help,
    longest: LONGEST_ADDRESS,
    allowed:
      "an http or https address such as http://127.0.0.1:8080, without user name, query or fragment",
    ...(fallback !== undefined && { fallback }),
    parse: parseServerUrl,
  }) satisfies SourceOption;

/** A text that has to be entered. */
export const requiredText = (placeholder: string, help: string, allowed: string) =>
  ({
    placeholder,
    help,
    allowed,
    parse: (text: string) => text.trim() || undefined,
  }) satisfies SourceOption;

/** A text that may be left out. */
export const optionalText = (placeholder: string, help: string) =>
  ({
    placeholder,
    help,
    fallback: "",
    allowed: "a text",
    parse: (text: string) => text.trim(),
  }) satisfies SourceOption;

/** A password that may be left out. Spaces belong to it. */
export const passwordOption = (help: string) =>
  ({
    placeholder: "password",
    help,
    secret: true,
    fallback: "",
    allowed: "a text",
    parse: (text: string) => text,
  }) satisfies SourceOption;

const LONGEST_TOKEN = 1_000;

/** A token that fits into a header and an address. */
export const tokenOption = (help: string) =>
  ({
    placeholder: "token",
    help,
    secret: true,
    longest: LONGEST_TOKEN,
    ...matchingTrimmed(/^[\w.~+/=-]+$/, "a token without spaces and quotation marks"),
  }) satisfies SourceOption;

/** The same, for a server that may do without. */
export const optionalTokenOption = (help: string) =>
  ({ ...tokenOption(help), fallback: "" }) satisfies SourceOption;

/** An address without user name and password. Without a scheme it is an http address. */
export function parseHttpUrl(text: string): URL | undefined {
  const trimmed = text.trim();
  const url = URL.parse(trimmed.includes("://") ? trimmed : `http://${trimmed}`);
  const isUsable =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.username + url.password === "" &&
    !/\s/.test(trimmed);
  return isUsable ? url : undefined;
}

/** A server's address without a slash at the end. */
export function parseServerUrl(text: string): string | undefined {
  const url = parseHttpUrl(text);
  return url && !/[?#]/.test(text) ? url.href.replace(/\/+$/, "") : undefined;
}

/** The address of a server that users entered; members may enter only allowed hosts. */
export function addressOf(settings: { readonly url: string }): SourceAddress {
  const url = new URL(settings.url);
  const { port, protocol } = url;
  const usualPort = protocol === "https:" ? 443 : 80;
  return {
    scheme: protocol.slice(0, -1),
    host: hostOf(url),
    port: port === "" ? usualPort : Number(port),
  };
}

export const basicAuthorization = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
