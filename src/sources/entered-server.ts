import {
  type SourceAddress,
  type SourceOption,
  SourceSettingsError,
  wrongOption,
} from "./source.ts";

import { LONGEST_ADDRESS } from "../text-limits.ts";

/** The options with which users enter a server of their own, and their checks. */

export const urlOption = (help: string, fallback?: string): SourceOption => ({
  name: "url",
  placeholder: "http://host:port",
  help,
  longest: LONGEST_ADDRESS,
  ...(fallback !== undefined && { fallback }),
});

export const userOption = (help: string): SourceOption => ({
  name: "user",
  placeholder: "name",
  help,
});

export const passwordOption = (help: string): SourceOption => ({
  name: "password",
  placeholder: "password",
  help,
  secret: true,
});

/**
 * The options with these names as texts; an option that is not given is empty.
 * @throws {SourceSettingsError}
 */
export function readTexts<Name extends string>(
  input: unknown,
  names: readonly Name[],
): Readonly<Record<Name, string>> {
  const given: Record<string, unknown> =
    typeof input === "object" && input !== null ? { ...input } : {};
  const texts = names.map((name) => {
    const { [name]: text = "" } = given;
    if (typeof text === "string") return [name, text] as const;
    throw new SourceSettingsError(`${names.join(" and ")} must be texts.`);
  });
  return Object.fromEntries(texts) as Record<Name, string>;
}

/**
 * A server's address without a slash at the end. Without a scheme it is an http address. The
 * message does not repeat the address, which may contain a password.
 * @throws {SourceSettingsError}
 */
export function parseServerUrl(text: string): string {
  const trimmed = text.trim();
  const url = URL.parse(trimmed.includes("://") ? trimmed : `http://${trimmed}`);
  const usable =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.hostname !== "" &&
    url.username + url.password === "" &&
    !/[?#\s]/.test(trimmed);
  if (usable) return url.href.replace(/\/+$/, "");
  throw wrongOption(
    "url",
    "must be an http or https address such as http://127.0.0.1:8080, without user name, query or fragment.",
  );
}

/** The address of a server that users entered; members may enter only allowed hosts. */
export function addressOf({ url }: { readonly url: string }): SourceAddress {
  const { hostname, port, protocol } = new URL(url);
  const usualPort = protocol === "https:" ? 443 : 80;
  return {
    scheme: protocol.slice(0, -1),
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? usualPort : Number(port),
  };
}

export const basicAuthorization = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
