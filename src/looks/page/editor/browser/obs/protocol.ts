import { sha256Base64 } from "./sha256.ts";

/**
 * Messages of obs-websocket 5, as far as this page uses it:
 * https://github.com/obsproject/obs-websocket/blob/master/docs/generated/protocol.md
 */

/** Why something did not work with OBS; each has a sentence in every language. */
export type Failure =
  /** Nothing answers: OBS does not run, or its server is off or has another port. */
  | "off"
  | "wrongPassword"
  | "oldVersion"
  /** Something answers that is not obs-websocket 5. */
  | "notObs"
  | "timeout"
  | "closed"
  | "noBrowserSource"
  /** OBS is loading, or changes its scene collection. */
  | "busy"
  /** The source is not in OBS, or the scene is not there any more. */
  | "gone"
  | "refused"
  | "blockedHttp"
  | "blockedPermission"
  | "blockedSafari";

export class ObsError extends Error {
  readonly failure: Failure;
  /** What OBS itself says, in English; often nothing. */
  readonly detail: string;
  /** The `RequestStatus` of a request that OBS has refused. */
  readonly code: number | undefined;

  constructor(failure: Failure, detail = "", code?: number) {
    super(`${failure} ${detail}`);
    this.failure = failure;
    this.detail = detail;
    this.code = code;
  }
}

export type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null;

export const fieldsIn = (fields: Fields, name: string): Fields => {
  const value = fields[name];
  return isFields(value) ? value : {};
};
export const textIn = (fields: Fields, name: string): string => {
  const value = fields[name];
  return typeof value === "string" ? value : "";
};
export const numberIn = (fields: Fields, name: string): number => {
  const value = fields[name];
  return typeof value === "number" ? value : 0;
};
export const listIn = (fields: Fields, name: string): readonly Fields[] => {
  const value = fields[name];
  return Array.isArray(value) ? value.filter(isFields) : [];
};

/** What a message is, by its `op`; others are passed over. */
export const HELLO = 0;
export const IDENTIFIED = 2;
export const ANSWER = 7;

/** @throws ObsError `notObs` for what is no message of obs-websocket 5 */
export function readMessage(text: unknown): { readonly op: number; readonly data: Fields } {
  const message = parse(text);
  const { op } = message;
  const data = fieldsIn(message, "d");
  const isHello = op === HELLO;
  if (typeof op !== "number" || (isHello && !("rpcVersion" in data))) throw new ObsError("notObs");
  return { op, data };
}

function parse(text: unknown): Fields {
  try {
    const message: unknown = JSON.parse(String(text));
    if (isFields(message)) return message;
  } catch {
    // Whatever it is, it is not OBS.
  }
  throw new ObsError("notObs");
}

/** The message that introduces this page; it asks for no events. */
export function identifyMessage(password: string, hello: Fields): string {
  const authentication =
    "authentication" in hello
      ? authenticationOf(password, fieldsIn(hello, "authentication"))
      : undefined;
  return JSON.stringify({ op: 1, d: { rpcVersion: 1, eventSubscriptions: 0, authentication } });
}

export function authenticationOf(password: string, wanted: Fields): string {
  const secret = sha256Base64(password + textIn(wanted, "salt"));
  return sha256Base64(secret + textIn(wanted, "challenge"));
}

export const requestMessage = (id: string, requestType: string, requestData: Fields): string =>
  JSON.stringify({ op: 6, d: { requestType, requestId: id, requestData } });

export const NAME_TAKEN = 601;

/** What a refused request means. @param code its `RequestStatus` */
export function failureOf(code: number): Failure {
  switch (code) {
    case 207:
      return "busy";
    case 600:
      return "gone";
    case 605:
      return "noBrowserSource";
    default:
      return "refused";
  }
}

/** What the end of a connection means, by its close code. */
export function failureOfClosing(code: number, hasAnswered: boolean): Failure {
  switch (code) {
    case 4009:
      return "wrongPassword";
    case 4010:
      return "oldVersion";
    default:
      return hasAnswered ? "closed" : "off";
  }
}

export interface Surroundings {
  /** Of the page's own address, such as `https:`. */
  readonly protocol: string;
  readonly hostname: string;
  readonly userAgent: string;
  /** The browser's permission to reach programs on this computer, where it knows such a thing. */
  readonly permission: PermissionState | undefined;
}

/**
 * Browsers do not let a page know why a connection was not made. Safari refuses `ws:` to an https
 * page; Chromium refuses programs on this computer to public http pages, and asks for https pages:
 * https://developer.chrome.com/blog/local-network-access
 */
export function whyNotReached({
  protocol,
  hostname,
  userAgent,
  permission,
}: Surroundings): Failure {
  if (protocol === "https:" && isSafari(userAgent)) return "blockedSafari";
  if (/^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname)) return "off";
  if (protocol === "http:") return "blockedHttp";
  return permission === "denied" ? "blockedPermission" : "off";
}

/** Whether the browser may ask the user before it connects. */
export const mayAsk = ({ protocol, permission }: Surroundings): boolean =>
  protocol === "https:" && permission === "prompt";

/** Every browser on iOS is Safari inside. */
const isSafari = (userAgent: string): boolean =>
  /iPhone|iPad/.test(userAgent) ||
  (userAgent.includes("Safari/") && !/Chrome|Chromium|Android/.test(userAgent));
