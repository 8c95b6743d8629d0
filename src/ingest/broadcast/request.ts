import { decodedPath } from "../../address-name.ts";
import { decodeForm, decodeText } from "../../decode-text.ts";
import type { Head } from "../../upstream/head.ts";

/** The requests of programs that broadcast, as Icecast takes them: https://icecast.org/docs/icecast-latest/icecast2-protocol */

export type BroadcastRequest = NonNullable<ReturnType<typeof readRequest>>;

/** Reads a head; `undefined` when it is none. */
export function readRequest({ start, fields }: Head) {
  const [, method, target] = /^([A-Z]+) (.+) (?:HTTP|ICE)\/1\.\d$/.exec(start) ?? [];
  if (method === undefined || target === undefined) return undefined;
  const [encodedPath = "", ...rest] = target.split("?");
  const path = decodedPath(encodedPath);
  return {
    /** Such as `PUT`, or Icecast's own `SOURCE`. */
    method,
    path,
    query: queryIn(rest.join("?")),
    /** `undefined` where none was sent: libshout does so first, and waits to be asked. */
    password: passwordIn(fields.get("authorization") ?? ""),
    /** Whether the program waits for `100 Continue`. */
    waits: /100-continue/i.test(fields.get("expect") ?? ""),
    /** The broadcast's name; empty where it has none. */
    station: stationIn(fields.get("ice-name") ?? fields.get("icy-name") ?? "", path),
  };
}

/** Liquidsoap names a broadcast after its mount where it has no other name. */
function stationIn(name: string, path: string): string {
  const station = decodeText(Buffer.from(name, "latin1")).trim();
  return `/${station}` === path ? "" : station;
}

/** Some programs send bytes as they are, and not all say in which charset. */
function queryIn(text: string): URLSearchParams {
  const encoded = text.replace(/[\x80-\xff]/g, encodeByte);
  const charset = decodeForm(encoded).get("charset");
  return decodeForm(encoded, charset === null ? null : `text/plain; charset=${charset}`);
}

const encodeByte = (byte: string): string => `%${byte.charCodeAt(0).toString(16)}`;

/** The password alone says whose a broadcast is: any user name will do. */
function passwordIn(authorization: string): string | undefined {
  const base64 = /^basic\s+([\w+/=-]+)$/i.exec(authorization.trim())?.[1];
  if (base64 === undefined) return undefined;
  const [, ...password] = decodeText(Buffer.from(base64, "base64")).split(":");
  return password.join(":");
}

/** What a request says of a song. It replaces what was said before: no field of that stays. */
export function songIn(query: URLSearchParams) {
  const [title, artist, album, song] = ["title", "artist", "album", "song"].map(
    (name) => query.get(name)?.trim() ?? "",
  );
  // In Mixxx `song` can stand still while the others move on.
  return { title: title || song || "", artist: artist ?? "", album: album ?? "" };
}
