import { Elysia } from "elysia";
import { type ApiParts, describedBy } from "../endpoint.ts";
import { userExample } from "../examples.ts";
import type { ApiGuard } from "../guard.ts";
import { withMusicPrefix } from "../music-prefix.ts";
import { userAnswer } from "../schema.ts";
import { createUser } from "../user.ts";

/** `GET /api/v1/user` */
export function userEndpoint(guard: ApiGuard, parts: ApiParts) {
  const { budget, config } = parts;
  const answer = createUser(parts);
  return new Elysia({ name: "user" })
    .use(guard)
    .get("/user", ({ call }) => budget.spend(call.holder.user.id, () => answer(call)), {
      key: true,
      ...describedBy({
        operationId: "getUser",
        description: "The user linked to the key, and whether music is connected.",
        answer: {
          about: "The user.",
          schema: userAnswer(config.musicPrefix),
          examples: {
            user: {
              summary: "A connected user",
              value: { success: true, data: withMusicPrefix(userExample, config.musicPrefix) },
            },
          },
        },
      }),
    });
}
