import { AUDIOSCROBBLER } from "../sources/pushed.ts";
import { decodeForm } from "../decode-text.ts";
import { isMadeWith, isTimely, readHandshake, readNowPlaying } from "./audioscrobbler.ts";
import type { Inboxes } from "../music/inboxes.ts";
import type { Admission, Limited } from "./guard.ts";
import { answerText, bodyOf, isPartOfPage, PART_OF_PAGE, type PushRoute } from "./http.ts";
import type { RouteDeps } from "./inbox-route.ts";
import { IGNORED } from "./message.ts";
import type { Parts } from "../http/parts.ts";

export interface AudioscrobblerDeps extends RouteDeps, Pick<Parts, "clock" | "baseUrl"> {
  readonly inboxes: Pick<Inboxes, "inboxSecretsOf" | "sessionOf" | "inboxOfSession">;
}

/** `/audioscrobbler/…`: answers in plain text, always with status 200. */
export function createAudioscrobbler(deps: AudioscrobblerDeps): PushRoute {
  const { clock, guard, delivery, inboxes, baseUrl } = deps;
  const source = AUDIOSCROBBLER;
  const address = source.inboxAddress(baseUrl, "");

  const begin = (request: Request): Response => {
    const handshake = readHandshake(decodeForm(new URL(request.url).search.slice(1)));
    if ("mistake" in handshake) return failed(handshake.mistake);
    // The names that exist are told neither by what is opened nor by how long it takes.
    const limit = guard.limitOf(request);
    if (limit) return refusal(limit);
    const secrets = inboxes.inboxSecretsOf(handshake.userName, source.id);
    const secret = secrets.find((one) => isMadeWith(one, handshake));
    if (secret === undefined) return refusal(guard.refuse(request));
    // Otherwise whoever has seen a handshake could repeat it for ever.
    if (!isTimely(handshake, clock.wallMs())) return answer("BADTIME");
    const admission = guard.admit(secret, source, request);
    if (admission.kind !== "admitted") return refusal(admission);
    const session = inboxes.sessionOf(secret);
    return answer("OK", session, `${address}${NOW_PLAYING}`, `${address}${SUBMIT}`);
  };

  const accept = async (request: Request, submits: boolean): Promise<Response> => {
    const body = await bodyOf(request, clock);
    if ("refusal" in body) {
      return failed(`the body ${body.refusal.what}`, body.refusal.headers);
    }
    const form = decodeForm(body.text, request.headers.get("content-type"));
    const owner = inboxes.inboxOfSession(form.get("s") ?? "");
    // The secret was replaced: the program has to begin again, with the one that is right now.
    if (owner?.source !== source.id) return answer("BADSESSION");
    const admission = guard.count(owner);
    if (admission.kind === "limited") return limited(admission);
    guard.charge(owner);
    // What was played to its end is history.
    const message = submits ? IGNORED : readNowPlaying(form);
    const { connectionId } = owner;
    delivery.take({ connectionId, source }, message);
    return message.kind === "refused" ? failed(message.reason) : answer("OK");
  };

  return ({ request }) => {
    if (isPartOfPage(request)) return failed(PART_OF_PAGE);
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

const failed = (reason: string, extra?: Readonly<Record<string, string>>): Response =>
  answerText(`FAILED ${reason}\n`, extra);

const limited = ({ reason, waitSeconds }: Limited): Response =>
  failed(`${reason}: try again in ${waitSeconds} s`);

const refusal = (admission: Admission): Response =>
  admission.kind === "limited" ? limited(admission) : answer("BADAUTH");
