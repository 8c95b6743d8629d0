import type { Playback } from "../../../playback.ts";
import { parseJson, recordOf, textOf, UnreadableAnswer } from "../../../upstream/json.ts";
import type { AskedServer } from "../../asked-server.ts";
import type { WatchContext } from "../../source.ts";
import { UpstreamError } from "../../../upstream/index.ts";
import type { UpstreamSocket } from "../../../upstream/socket.ts";
import { type Entity, afterEvent, readEntity, readPlayback } from "./entity.ts";

const ANSWER_MS = 5_000;
/** Only changes are sent. An answer after this time without one shows that what was sent still holds. */
const PING_MS = 10_000;
const SUBSCRIPTION = 1;
const NO_HOME_ASSISTANT = "is no Home Assistant";
/** Times in headers are whole seconds, and clocks of one house usually agree. */
const SAME_CLOCK_MS = 2_000;

export async function* listen(
  server: AskedServer,
  { clock, signal }: WatchContext,
  { entity: id, token }: { readonly entity: string; readonly token: string },
): AsyncGenerator<Playback | null, void> {
  /** This machine's clock against the one that never jumps. */
  const setMs = () => clock.wallMs() - clock.monotonicMs();
  const askTime = async () => {
    const { serverWallMs } = await server.getJson("/api/", NO_HOME_ASSISTANT);
    const isSameClock = Math.abs(serverWallMs() - clock.wallMs()) < SAME_CLOCK_MS;
    return { wallMs: isSameClock ? clock.wallMs : serverWallMs, setMs: setMs() };
  };
  // Also of an entity that it has not, the status is 404.
  let time = await askTime();
  const answer = await server.getJson(`/api/states/${id}`, `has no entity ${id}`);

  const read = (entity: Entity | null, observedAtMs: number): Playback | null => {
    if (!entity) return null;
    return readPlayback(entity, {
      id,
      observedAtMs,
      serverWallMs: time.wallMs(),
      artworksOf: (key, picture) =>
        /^\/(?!\/)/.test(picture) ? [server.artwork(key, picture)] : server.covers(picture),
    });
  };

  let entity: Entity | null = readEntity(answer.body);
  if (entity.state === "") throw new UnreadableAnswer(`it ${NO_HOME_ASSISTANT}`);
  yield read(entity, answer.observedAtMs);

  const socket = await server.openSocket("/api/websocket");
  try {
    await authenticate(socket, server, token);
    socket.send(JSON.stringify({ id: SUBSCRIPTION, type: "subscribe_entities", entity_ids: [id] }));
    let lastId = SUBSCRIPTION;
    while (!signal.aborted) {
      const text = await socket.receive(PING_MS);
      if (text === undefined) {
        socket.send(JSON.stringify({ id: ++lastId, type: "ping" }));
        continue;
      }
      const message = recordOf(parseJson(text), "a message");
      if (message["id"] === SUBSCRIPTION && message["success"] === false) {
        throw new UpstreamError("it refuses to report changes");
      }
      if (message["type"] !== "event" && message["type"] !== "pong") continue;
      if (message["type"] === "event") entity = afterEvent(entity, id, message["event"]);
      // The clock was set, or this machine has slept.
      if (Math.abs(setMs() - time.setMs) >= SAME_CLOCK_MS) time = await askTime();
      yield read(entity, clock.monotonicMs());
    }
  } finally {
    socket.close();
  }
}

async function authenticate(
  socket: UpstreamSocket,
  server: AskedServer,
  token: string,
): Promise<void> {
  const receiveType = async () => {
    const text = await socket.receive(ANSWER_MS);
    if (text === undefined) throw new UpstreamError("it did not answer in time");
    return textOf(recordOf(parseJson(text), "a message")["type"]);
  };
  let type = await receiveType();
  if (type === "auth_required") {
    socket.send(JSON.stringify({ type: "auth", access_token: token }));
    type = await receiveType();
  }
  if (type === "auth_invalid") throw server.unauthorized();
  if (type !== "auth_ok") throw new UnreadableAnswer(`it ${NO_HOME_ASSISTANT}`);
}
