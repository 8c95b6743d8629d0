import { Elysia } from "elysia";
import type { PlayingBody } from "../api/now-playing.ts";
import type { Feature } from "../http/plugin.ts";
import { guards } from "../http/guards.ts";
import { found } from "../http/turned-away.ts";
import { once } from "../once.ts";
import { createGuard } from "./guard.ts";
import type { Files } from "./files.ts";
import { keepSongs } from "./keep-songs.ts";
import type { Parts } from "../http/parts.ts";

export interface OutputsDeps extends Parts {
  readonly playingBody: PlayingBody;
}

/**
 * What chat bots, websites and OBS's own sources read, and the songs that are kept. Each is loaded
 * on first use.
 */
export function createOutputsFeature(deps: OutputsDeps): Feature {
  const { accounts, artworks, config } = deps;
  const parts = { ...deps, guard: createGuard({ ...deps, widgets: accounts.widgets }) };
  const text = once(async () => (await import("./text.ts")).createTextOutput(parts));
  const card = once(async () => (await import("./card.ts")).createCardOutput(parts));
  const cardPage = once(async () => (await import("./card-page.tsx")).createCardPage(parts));
  let files: Files | undefined;
  keepSongs({ ...deps, history: accounts.history });

  const plugin = new Elysia({ name: "outputs" })
    .use(guards)
    /** The line for chat bots. */
    .get(
      "/:lang/text/:token",
      async ({ language, params, request }) => {
        const answer = await text();
        return found(await answer(language, params.token, request));
      },
      { secret: "widget token", language: true },
    )
    /** A card, when the address ends in `.svg`, and else the page for sharing it. */
    .get(
      "/:lang/card/:token",
      async ({ language, params, request }) => {
        const answer = await (params.token.endsWith(".svg") ? card() : cardPage());
        return found(await answer(language, params.token.replace(/\.svg$/, ""), request));
      },
      { secret: "widget token", language: true },
    );

  return {
    plugin,
    /** The users' text and cover files, if the settings ask for any. */
    async start() {
      if (config.files === null) return;
      const { createFiles } = await import("./files.ts");
      files = createFiles({
        ...deps,
        folder: config.files,
        users: accounts.users,
        pictureOf: async (artwork, userId) =>
          (await artworks.pictureOf(artwork, "640.jpg", userId))?.bytes,
      });
      await files.followAllUsers();
    },
    async follow({ userId, concerns }) {
      if (!concerns("users")) return;
      if (userId === undefined) await files?.followAllUsers();
      else files?.followUser(userId);
    },
    /** Makes the files idle, as the music is not known any more. */
    stop: () => files?.stop(),
  };
}
