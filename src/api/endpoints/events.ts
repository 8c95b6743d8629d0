import { Elysia } from "elysia";
import { type ApiParts, streamDescribedBy } from "../endpoint.ts";
import type { ApiGuard } from "../guard.ts";
import { TOO_MANY_STREAMS } from "../stream-limit.ts";
import { nowPlayingAnswer } from "./now-playing.ts";

/** `GET /api/v1/now-playing/events` */
export const eventsEndpoint = (guard: ApiGuard, { baseUrl, budget, loadStreams }: ApiParts) =>
  new Elysia({ name: "events" }).use(guard).get(
    "/now-playing/events",
    async ({ call, request }) => {
      const { open } = await loadStreams();
      return budget.spend(call.holder.user.id, () => open(call, request));
    },
    {
      key: true,
      ...streamDescribedBy({
        operationId: "streamNowPlaying",
        description: [
          "Server-sent events: one when the stream opens, then one at each change. Each is of the type `now-playing`, and its data is exactly what `/api/v1/now-playing` answers at that moment, also when the source has failed.",
          "An event `closed` with the error as its data says that the key no longer works; then the stream ends.",
          'A request with `Upgrade: websocket` gets a WebSocket, whose messages have the same fields and `"type":"now-playing"`. It closes with the code 4401 when the key no longer works.',
        ].join("\n\n"),
        answer: nowPlayingAnswer(baseUrl),
        stream: {
          about: "The events. A comment every 15 seconds keeps the connection open.",
          refusals: {
            about: "too many event streams with one key",
            errors: { streams: TOO_MANY_STREAMS },
          },
        },
      }),
    },
  );
