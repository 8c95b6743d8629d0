import type { PushedSource } from "../sources/pushed.ts";
import { decodeForm } from "../decode-text.ts";
import type { Delivery } from "./delivery.ts";
import type { Guard } from "./guard.ts";
import type { InboxOwner } from "../music/inboxes.ts";
import {
  answerJson,
  bodyOf,
  failure,
  isPartOfPage,
  PART_OF_PAGE,
  preflight,
  type PushRoute,
  refusalOf,
} from "./http.ts";
import type { Message } from "./message.ts";
import type { Parts } from "../http/parts.ts";

export interface RouteDeps extends Pick<Parts, "clock"> {
  readonly guard: Guard;
  readonly delivery: Delivery;
}

/** What the messages of a source look like. */
export interface Reader {
  readBody(text: string): Message;
  /** Reads the query of a GET, where the source allows that. */
  readQuery?(query: URLSearchParams): Message;
}

/** `/in/:secret/…`: for programs that can put the secret only into the address. */
export function createInboxRoute(
  source: PushedSource,
  { readBody, readQuery }: Reader,
  { clock, guard, delivery }: RouteDeps,
): PushRoute {
  const messageIn = async (request: Request, owner: InboxOwner): Promise<Message | Response> => {
    if (request.method === "GET" && readQuery) {
      guard.charge(owner);
      return readQuery(decodeForm(new URL(request.url).search.slice(1)));
    }
    if (request.method !== "POST") {
      return failure(405, "Method not allowed", { Allow: readQuery ? "GET, POST" : "POST" });
    }
    const body = await bodyOf(request, clock);
    guard.charge(owner);
    if ("text" in body) return readBody(body.text);
    const { status, what, headers } = body.refusal;
    return failure(status, `The body ${what}`, headers);
  };

  return async ({ request, params }) => {
    if (request.method === "OPTIONS") return preflight();
    if (isPartOfPage(request)) return failure(403, PART_OF_PAGE);
    const secret = params["secret"] ?? "";
    const admission = guard.admit(secret, source, request);
    if (admission.kind !== "admitted") return refusalOf(admission);
    const { owner } = admission;
    const { connectionId } = owner;
    const message = await messageIn(request, owner);
    if (message instanceof Response) return message;
    if (!guard.stillOpens(secret, source, owner)) return refusalOf({ kind: "wrong" });
    delivery.take({ connectionId, source }, message);
    return message.kind === "refused"
      ? failure(400, message.reason)
      : answerJson(200, { success: true });
  };
}
