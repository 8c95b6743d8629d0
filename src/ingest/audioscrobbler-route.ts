import { createBoundedMap } from "../bounded-map.ts";
import { AUDIOSCROBBLER } from "../sources/pushed.ts";
import { isMadeWith, readHandshake, readNowPlaying } from "./audioscrobbler.ts";
import { NOT_STORED } from "./delivery.ts";
import type { Admission, Inboxes } from "./door.ts";
import { answerText, bodyOf, type PushRoute } from "./http.ts";
import type { RouteDeps } from "./inbox-route.ts";
import { IGNORED } from "./message.ts";

export interface AudioscrobblerDeps extends RouteDeps {
  readonly inboxes: Pick<Inboxes, "inboxSecretsOf">;
  /** The server's base URL, without a slash at the end. */
  readonly baseUrl: string;
}

/** Programs begin again when their session is forgotten. */
const MOST_SESSIONS = 10_000;

/** `/audioscrobbler/…`: answers in plain text, always with status 200. */
export function createAudioscrobbler(deps: AudioscrobblerDeps): PushRoute {
  const { door, delivery, inboxes, baseUrl } = deps;
  const source = AUDIOSCROBBLER;
  const address = source.inboxAddress(baseUrl, "");
  /** The secret of each session. */
  const sessions = createBoundedMap<string, string>(MOST_SESSIONS);

  const begin = async (request: Request): Promise<Response> => {
    const handshake = readHandshake(new URL(request.url).searchParams);
    if ("mistake" in handshake) return failed(handshake.mistake);
    const secrets = await inboxes.inboxSecretsOf(handshake.userName, source.id);
    const secret = secrets.find((one) => isMadeWith(one, handshake));
    if (secret === undefined) return refusal(door.refuse(request), "BADAUTH");
    const session = crypto.randomUUID().replaceAll("-", "");
    sessions.set(session, secret);
    return answer("OK", session, `${address}${NOW_PLAYING}`, `${address}${SUBMIT}`);
  };

  const accept = async (request: Request, submits: boolean): Promise<Response> => {
    const body = await bodyOf(request);
    if (body === undefined) return failed("the body is larger than 64 KiB");
    const form = new URLSearchParams(body);
    const session = form.get("s") ?? "";
    const secret = sessions.get(session);
    if (secret === undefined) return answer("BADSESSION");
    const admission = await door.admit(secret, source, request);
    if (admission.kind !== "admitted") {
      // It was rotated, so the program has to begin again, with the secret that is right now.
      if (admission.kind === "wrong") sessions.take(session);
      return refusal(admission, "BADSESSION");
    }
    // What was heard to its end is history.
    const message = submits ? IGNORED : readNowPlaying(form);
    const { connectionId } = admission.owner;
    if (!(await delivery.take({ connectionId, source }, message))) return failed(NOT_STORED);
    return message.kind === "refused" ? failed(message.reason) : answer("OK");
  };

  return ({ request }) => {
    const name = new URL(request.url).pathname
      .split("/")
      .filter((word) => word !== "")
      .slice(1)
      .join("/");
    if (name === "" && request.method === "GET") return begin(request);
    const isPost = request.method === "POST";
    if (isPost && (name === NOW_PLAYING || name === SUBMIT)) {
      return accept(request, name === SUBMIT);
    }
    return failed("this is not part of what Marquee accepts");
  };
}

const NOW_PLAYING = "np";
const SUBMIT = "submit";

const answer = (...lines: readonly string[]): Response => answerText(`${lines.join("\n")}\n`);

const failed = (reason: string): Response => answer(`FAILED ${reason}`);

const refusal = (admission: Admission, wrong: "BADAUTH" | "BADSESSION"): Response =>
  admission.kind === "limited"
    ? failed(`${admission.reason}: try again in ${admission.waitSeconds} s`)
    : answer(wrong);
