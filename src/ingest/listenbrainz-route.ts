import { LISTENBRAINZ } from "../sources/pushed.ts";
import {
  answerJson,
  bodyOf,
  isPartOfPage,
  PART_OF_PAGE,
  preflight,
  type PushRoute,
} from "./http.ts";
import type { RouteDeps } from "./inbox-route.ts";
import { readSubmission } from "./listenbrainz.ts";
import { NOTHING } from "./message.ts";

export interface ListenBrainzDeps extends RouteDeps {
  /** The name of a user; `undefined` when there is none with this id. */
  userNameOf(userId: number): string | undefined;
}

/** `/listenbrainz/…`: answers as listenbrainz.org does. */
export function createListenBrainz({
  clock,
  guard,
  delivery,
  userNameOf,
}: ListenBrainzDeps): PushRoute {
  const source = LISTENBRAINZ;

  const validate = (request: Request): Response => {
    const token = tokenOf(request) ?? new URL(request.url).searchParams.get("token");
    if (!token) return failure(400, "You need to provide an Authorization token.");
    const admission = guard.admit(token, source, request);
    if (admission.kind === "limited") return tooMany(admission);
    if (admission.kind === "wrong") {
      return answerJson(200, { code: 200, message: "Token invalid.", valid: false });
    }
    const user_name = userNameOf(admission.owner.userId);
    return answerJson(200, { code: 200, message: "Token valid.", valid: true, user_name });
  };

  const accept = async (request: Request, endpoint: Endpoint): Promise<Response> => {
    const token = tokenOf(request);
    if (!token) return failure(401, "You need to provide an Authorization header.");
    const admission = guard.admit(token, source, request);
    if (admission.kind === "limited") return tooMany(admission);
    if (admission.kind === "wrong") return wrongToken();
    const { owner } = admission;
    const { connectionId } = owner;
    const body = await bodyOf(request, clock);
    guard.charge(owner);
    if ("refusal" in body) {
      const { status, what, headers } = body.refusal;
      return failure(status, `The body ${what}.`, headers);
    }
    if (!guard.stillOpens(token, source, owner)) return wrongToken();
    const message = endpoint === "delete" ? NOTHING : readSubmission(body.text);
    delivery.take({ connectionId, source }, message);
    return message.kind === "refused"
      ? failure(400, message.reason)
      : answerJson(200, { status: "ok" });
  };

  return ({ request }) => {
    if (request.method === "OPTIONS") return preflight();
    if (isPartOfPage(request)) return failure(403, `${PART_OF_PAGE}.`);
    const endpoint = endpointOf(new URL(request.url).pathname);
    if (endpoint === undefined) return failure(404, "This is not part of what Marquee accepts.");
    const methods = endpoint === "validate" ? ["GET", "HEAD"] : ["POST"];
    if (!methods.includes(request.method)) {
      return failure(405, "Method not allowed.", { Allow: methods.join(", ") });
    }
    return endpoint === "validate" ? validate(request) : accept(request, endpoint);
  };
}

type Endpoint = "submit" | "validate" | "delete";

const ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  // For programs that post to the very address that was entered.
  "": "submit",
  "submit-listens": "submit",
  "validate-token": "validate",
  "playing-now/delete": "delete",
};

/**
 * Programs append their own `/1/` or do not, and several slashes: one address has to work in each
 * of them.
 */
function endpointOf(pathname: string): Endpoint | undefined {
  const words = pathname.split("/").filter((word) => word !== "");
  const first = words.findIndex((word, index) => index > 0 && word !== "1");
  const name = first === -1 ? "" : words.slice(first).join("/");
  return Object.hasOwn(ENDPOINTS, name) ? ENDPOINTS[name] : undefined;
}

const tokenOf = (request: Request): string | undefined =>
  /^token\s+(\S+)\s*$/i.exec(request.headers.get("authorization") ?? "")?.[1];

const failure = (code: number, error: string, headers?: Readonly<Record<string, string>>) =>
  answerJson(code, { code, error }, headers);

const wrongToken = () => failure(401, "Invalid authorization token.");

const tooMany = ({ reason, waitSeconds }: { reason: string; waitSeconds: number }) =>
  failure(429, `${reason}.`, { "Retry-After": String(waitSeconds) });
