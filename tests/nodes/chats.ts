import { expect } from "bun:test";
import { until } from "../fixtures/clock/waiting.ts";
import type { testWith } from "../fixtures/real-parts.ts";
import type { StandInTwitch } from "../fixtures/twitch/twitch.ts";
import { CHATS, type ChatLine, NODES, type Place, QUIET_S, type Stage } from "./stage.ts";

/** What the rows about chats need of the others. */
export interface ChatRowsParts {
  readonly row: ReturnType<typeof testWith>;
  readonly stage: () => Stage;
  readonly results: (readonly [fails: string, seen: string, goal: string])[];
  placeAt(index: number): Place;
  /** Until these share the users evenly. */
  areEven(among: readonly Place[]): Promise<unknown>;
  areReady(places: readonly Place[]): Promise<unknown>;
  /** Four nodes that are ready and share evenly. */
  recover(): Promise<void>;
  spread(values: readonly number[]): string;
}

/** A question that somebody asks in a chat. */
interface Question {
  readonly id: string;
  readonly channel: string;
  readonly atMs: number;
}

interface Answer {
  /** The door of the node that gave it. */
  readonly door: string;
  readonly tookMs: number;
}

const timesOf = (answers: readonly Answer[]) => answers.map(({ tookMs }) => tookMs);

const NODE_DIES_MS = 120_000;
const NODE_IS_CUT_OFF_MS = 180_000;
const CUT_OFF_MS = 60_000;
/** A node that does not reach the database gives its users up within this time. */
const LEASE_MS = 8_000;
/** A chat may be asked so often. */
const ASK_EVERY_MS = QUIET_S * 1_000 + 500;
/** A second answer would have come by then. */
const SETTLE_MS = 2_000;

/** Rows about linked chats: each question is answered once, whatever fails. */
export function chatRows(parts: ChatRowsParts): void {
  const { row, results, placeAt, recover, spread } = parts;
  const chats = createChats(parts.stage);

  row(
    "answer each question in a chat once, on four and on two",
    async () => {
      await recover();
      await chats.link();
      await chats.areRead();
      const onFour = await chats.askOnce();
      const answering = new Set(onFour.map(({ door }) => door)).size;
      const rest = [placeAt(0), placeAt(1)];
      for (const place of [placeAt(2), placeAt(3)]) expect(await place.server?.stop()).toBe(0);
      await parts.areEven(rest);
      await chats.areRead();
      const onTwo = await chats.askOnce();
      results.push([
        `${CHATS} linked chats on four nodes, then on two`,
        `one answer to each \`!song\`, by ${answering} nodes: ${spread(timesOf(onFour))}; on two: ${spread(timesOf(onTwo))}`,
        "one answer each",
      ]);
      await chats.areAllLinked();
    },
    NODE_DIES_MS,
  );

  row(
    "answer the chats of a node that is killed again, and never twice",
    async () => {
      const { twitch } = parts.stage();
      await recover();
      await chats.link();
      await chats.areRead();
      // Each account renews its tokens now, and again wherever it is taken over.
      for (const channel of chats.channels()) twitch.expireAccessTokens(channel);
      const before = await chats.askOnce();
      const heldBy = ({ chatDoor }: Place) => before.filter(({ door }) => door === chatDoor).length;
      const all = Array.from({ length: NODES }, (_, index) => placeAt(index));
      const [victim = placeAt(0)] = all.toSorted((one, other) => heldBy(other) - heldBy(one));
      const orphans = heldBy(victim);
      await victim.server?.kill();
      const killedAtMs = performance.now();
      for (const channel of chats.channels()) twitch.expireAccessTokens(channel);
      const answeredAfterMs = await chats.askUntilAllAnswer(killedAtMs);
      await chats.askOnce();
      results.push([
        `SIGKILL of a node with ${orphans} chats, all access tokens ended`,
        `the chats are answered again: ${spread(answeredAfterMs)}; no refresh token used twice of ${chats.refreshes()}`,
        "never twice, none unlinked",
      ]);
      await chats.areAllLinked();
      await recover();
    },
    NODE_DIES_MS,
  );

  row(
    "answer no chat from a node that is cut off from the database",
    async () => {
      const { proxy, lines } = parts.stage();
      await recover();
      await chats.link();
      await chats.areRead();
      const victim = placeAt(NODES - 1);
      const before = await chats.askOnce();
      const orphans = before.filter(({ door }) => door === victim.chatDoor).length;
      expect(orphans).toBeGreaterThan(0);
      await Bun.sleep(ASK_EVERY_MS);
      const cutAtMs = performance.now();
      proxy.swallow();
      const answeredAfterMs = await chats.askUntilAllAnswer(cutAtMs);
      while (performance.now() - cutAtMs < CUT_OFF_MS) {
        await Bun.sleep(ASK_EVERY_MS);
        await chats.ask();
      }
      const healedAtMs = performance.now();
      proxy.heal();
      await parts.areReady([victim]);
      await recover();
      await chats.areRead();
      await chats.askOnce();
      const own = lines.filter(({ door, atMs }) => door === victim.chatDoor && atMs > cutAtMs);
      const cutOff = own.filter(({ atMs }) => atMs < healedAtMs).map(({ atMs }) => atMs - cutAtMs);
      const last =
        cutOff.length === 0 ? "" : `, the last after ${Math.round(Math.max(...cutOff))} ms`;
      results.push([
        `a node with ${orphans} chats is cut off from the database for 60 s`,
        `it sends ${cutOff.length} answers meanwhile${last}; the others answer its chats: ${spread(answeredAfterMs)}`,
        "none after its lease, none twice",
      ]);
      expect(cutOff.filter((afterMs) => afterMs > LEASE_MS)).toEqual([]);
      await chats.areAllLinked();
    },
    NODE_IS_CUT_OFF_MS,
  );
}

/** The sessions that are open and follow a chat. */
function countSubscribed({ log }: StandInTwitch): number {
  const sessions = new Set<string | null>();
  for (const entry of log) {
    if (entry.kind === "socket" && entry.event === "close") sessions.delete(entry.session);
    if (entry.kind !== "request" || entry.path !== "/helix/eventsub/subscriptions") continue;
    const { transport } = JSON.parse(entry.fields["body"] ?? "{}");
    if (entry.status === 202) sessions.add(transport.session_id);
  }
  return sessions.size;
}

/** The linked chats of the stage, and what is asked there. */
function createChats(stage: () => Stage) {
  let linked: readonly string[] = [];
  const asked: Question[] = [];
  let viewers = 0;

  const answersOf = (
    questions: readonly Question[],
  ): ReadonlyMap<Question, readonly ChatLine[]> => {
    const lines = Map.groupBy(stage().lines, ({ question }) => question);
    return new Map(questions.map((question) => [question, lines.get(question.id) ?? []]));
  };
  /** Nothing that was ever asked is answered twice. */
  const expectNoneTwice = () => {
    const twice = [...answersOf(asked)].filter(([, lines]) => lines.length > 1);
    expect(twice).toEqual([]);
  };
  const ask = (): readonly Question[] => {
    const questions = linked.map((channel) => {
      viewers += 1;
      const atMs = performance.now();
      const id = stage().twitch.say({ channel, from: `viewer${viewers}`, text: "!song" });
      return { id, channel, atMs };
    });
    asked.push(...questions);
    return questions;
  };
  /** The refresh tokens that were used, in order. */
  const usedTokens = () =>
    stage()
      .twitch.log.filter((entry) => entry.kind === "request")
      .map(({ fields }) => fields["refresh_token"])
      .filter((token) => token !== undefined);

  return {
    ask,
    channels: () => linked,
    refreshes: () => usedTokens().length,
    /** Links the accounts, the first time. */
    async link() {
      if (linked.length === 0) linked = await stage().linkChats();
    },
    /** Each account has its session at Twitch, and is shown as one that reads. */
    async areRead() {
      const { accounts, twitch } = stage();
      let seen = "";
      const are = async () => {
        const all = await accounts.chat.allOf();
        const unread = all.filter(({ readingSince }) => readingSince === null);
        const [open, subscribed] = [twitch.sessions(), countSubscribed(twitch)];
        seen = `${open} sessions, ${subscribed} subscribed, ${unread.length} shown as not read`;
        const isAll = open === CHATS && subscribed === CHATS;
        return (isAll && unread.length === 0) || undefined;
      };
      await until(are, 40_000).catch((cause) => {
        throw new Error(`not all chats are read: ${seen}`, { cause });
      });
    },
    /** Asks in every chat once all have been quiet: each question is answered once. */
    async askOnce(): Promise<readonly Answer[]> {
      await Bun.sleep(ASK_EVERY_MS);
      const questions = ask();
      const answers = await until(() => {
        const found = answersOf(questions);
        return [...found.values()].every((lines) => lines.length > 0) ? found : undefined;
      });
      await Bun.sleep(SETTLE_MS);
      expectNoneTwice();
      return [...answers].flatMap(([{ atMs }, lines]) =>
        lines.map((line) => ({ door: line.door, tookMs: line.atMs - atMs })),
      );
    },
    /** Asks again and again. From a moment until each chat was answered for the first time, in ms. */
    async askUntilAllAnswer(sinceMs: number): Promise<readonly number[]> {
      const before = asked.length;
      const firstAnswers = await until(async () => {
        ask();
        await Bun.sleep(ASK_EVERY_MS);
        const first = new Map<string, number>();
        for (const [{ channel }, [line]] of answersOf(asked.slice(before))) {
          if (line && !first.has(channel)) first.set(channel, line.atMs - sinceMs);
        }
        return first.size === linked.length ? first : undefined;
      }, 60_000);
      expectNoneTwice();
      return [...firstAnswers.values()];
    },
    /** Twitch ends a link whose refresh token is used twice. */
    async areAllLinked() {
      const states = (await stage().accounts.chat.allOf()).map(({ state }) => state);
      expect(states).toEqual(Array.from({ length: CHATS }, () => "linked"));
      const tokens = usedTokens();
      expect(new Set(tokens).size).toBe(tokens.length);
      expectNoneTwice();
    },
  };
}
