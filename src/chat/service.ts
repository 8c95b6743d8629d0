import { createBoundedMap } from "../bounded-map.ts";
import { atMost } from "../clock.ts";
import { Refused } from "../i18n/refused.ts";
import { createQuiet, type Quiet } from "./quiet.ts";
import { createSongLine } from "./song-line.ts";
import type { ChatAccount } from "./store.ts";
import { runTwitchAccount, type TwitchAccountDeps } from "./twitch/account.ts";
import { createTwitchLinks } from "./twitch/links.ts";
import { createPendingLinks } from "./twitch/pending-links.ts";
import { createTwitch } from "./twitch/upstream.ts";
import { createVoices } from "./twitch/voices.ts";
import type { Parts } from "../http/parts.ts";

export interface ChatDeps extends Parts {
  /** Shows the overlays of a user that wait to be asked. */
  showOverlays(userId: number): void;
}

/** The linked accounts of this server. */
export type ChatService = ReturnType<typeof createChatService>;

const keyOf = ({ id, options }: ChatAccount): string => `${id} ${JSON.stringify(options)}`;

/** Chats whose quiet times are remembered. */
const MOST_CHATS = 1_000;
/** An account begins anew with other options, and is ready once Twitch has checked its tokens. */
const READY_WITHIN_MS = 5_000;

export function createChatService(deps: ChatDeps) {
  const { accounts, clock, config } = deps;
  const { chat } = accounts;
  const twitch = createTwitch(deps);
  const links = createTwitchLinks({ ...deps, ...accounts, ...twitch });
  const songLine = createSongLine(deps);
  const quiets = createBoundedMap<string, Quiet>(MOST_CHATS);
  const quietOf = (channelId: string): Quiet => {
    const quiet = quiets.get(channelId) ?? createQuiet();
    quiets.set(channelId, quiet);
    return quiet;
  };
  const voices = createVoices();
  const accountDeps: TwitchAccountDeps = {
    ...deps,
    ...twitch,
    chat,
    songLine,
    quietOf,
    voices,
    eventsubUrl: config.twitchEventsubUrl,
  };

  let hasStopped = false;
  /**
   * The accounts by what decides how they run: one with other options begins anew. One that has come
   * to an end by itself stays here until it is not wanted any more.
   */
  const running = new Map<string, AbortController>();

  /** When the last run of an account ends, by the account's id. */
  const lastEnds = new Map<number, Promise<void>>();

  /** Starts and stops accounts, so that those of `stored` run that are linked. */
  const startAndStop = (stored: readonly ChatAccount[]) => {
    const wanted = hasStopped ? [] : stored.filter(({ state }) => state === "linked");
    const keys = new Set(wanted.map(keyOf));
    for (const [key, stop] of running) {
      if (keys.has(key)) continue;
      stop.abort();
      running.delete(key);
    }
    for (const account of wanted) {
      if (running.has(keyOf(account))) continue;
      const stop = new AbortController();
      // A run of before may still be renewing the tokens, and a refresh token works once.
      const begun = lastEnds.get(account.id) ?? Promise.resolve();
      const ended = begun.then(() => runTwitchAccount(accountDeps, account, stop.signal));
      lastEnds.set(account.id, ended);
      void ended.finally(() => {
        if (lastEnds.get(account.id) === ended) lastEnds.delete(account.id);
      });
      running.set(keyOf(account), stop);
    }
  };

  /** Starts and stops accounts as they are stored now. */
  const follow = () => startAndStop(chat.allOf());

  return {
    links,
    follow,
    pending: createPendingLinks(deps),
    /**
     * Sends the line of a user's song, as a question in chat would be answered.
     * @throws {Refused} when it is not sent
     */
    async sayOnce({ id: accountId, userId, state }: ChatAccount) {
      const text = await songLine(userId, "song");
      if (text === undefined) throw new Refused("chat.paused");
      const isLinked = state === "linked";
      const sayOnce = isLinked && (await atMost(clock, READY_WITHIN_MS, voices.of(accountId)));
      if (!sayOnce) throw new Refused("chat.notSent");
      const sent = await sayOnce(text);
      if (!sent) throw new Refused("chat.tooSoon");
      if (sent.kind === "sent" || sent.kind === "repeated") return;
      const words = "message" in sent ? sent.message : "";
      throw words === "" ? new Refused("chat.notSent") : new Refused("chat.refusedWith", { words });
    },
    async stop() {
      hasStopped = true;
      startAndStop([]);
      await Promise.all(lastEnds.values());
    },
  };
}
