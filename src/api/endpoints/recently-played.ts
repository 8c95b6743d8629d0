import { Elysia } from "elysia";
import { once } from "../../once.ts";
import { type ApiParts, describedBy } from "../endpoint.ts";
import { playedExample } from "../examples.ts";
import type { ApiGuard } from "../guard.ts";
import { RecentlyPlayedAnswer } from "../schema.ts";

/** `GET /api/v1/recently-played` */
export function recentlyPlayedEndpoint(guard: ApiGuard, parts: ApiParts) {
  const { baseUrl, budget } = parts;
  const load = once(async () =>
    (await import("../recently-played.ts")).createRecentlyPlayed(parts),
  );
  return new Elysia({ name: "recently-played" }).use(guard).get(
    "/recently-played",
    async ({ call }) => {
      const answer = await load();
      return budget.spend(call.holder.user.id, () => answer(call));
    },
    {
      key: true,
      ...describedBy({
        operationId: "getRecentlyPlayed",
        description:
          "The songs that were played for at least 30 seconds, also the one that plays, newest first, at most 50. Empty unless the user has switched the history on, and while the user has paused sharing. It knows only what was played while something followed the user's music, such as an overlay, a bot or a hook.",
        answer: {
          about: "The songs.",
          schema: RecentlyPlayedAnswer,
          examples: {
            songs: { summary: "A song was played", value: playedExample(baseUrl) },
            none: { summary: "No history", value: { success: true, data: [] } },
          },
        },
      }),
    },
  );
}
