import { Elysia } from "elysia";
import { type ApiParts, describedBy } from "../endpoint.ts";
import { playingExample } from "../examples.ts";
import type { ApiGuard } from "../guard.ts";
import { createNowPlaying } from "../now-playing.ts";
import { NowPlayingAnswer } from "../schema.ts";

/** `GET /api/v1/now-playing` */
export function nowPlayingEndpoint(guard: ApiGuard, parts: ApiParts) {
  const answer = createNowPlaying(parts);
  // Outside of the users' budgets: an answer takes less time than measuring it would.
  return new Elysia({ name: "now-playing" })
    .use(guard)
    .get("/now-playing", ({ call }) => answer(call), {
      key: true,
      ...describedBy({
        operationId: "getNowPlaying",
        description:
          "The current playback, its position worked out for this very moment. `data` is null when nothing is playing.",
        answer: nowPlayingAnswer(parts.baseUrl),
        unavailable: {
          about: "The music source has not answered for a while.",
          errors: { unavailable: "Playback is temporarily unavailable" },
        },
      }),
    });
}

/** Playing, paused or nothing playing: each event has the same. */
export const nowPlayingAnswer = (baseUrl: string) => ({
  about: "Playing, paused, or nothing playing.",
  schema: NowPlayingAnswer,
  examples: {
    playing: { summary: "A track plays", value: playingExample(baseUrl) },
    nothing: { summary: "Nothing plays", value: { success: true, data: null } },
  },
});
