import { and, asc, eq } from "drizzle-orm";
import { type AccountsContext, readSealed } from "../accounts/context.ts";
import type { DeferredWrites } from "../db/deferred-writes.ts";
import type { User } from "../accounts/users.ts";
import { hooks } from "../db/schema.ts";
import { Refused } from "../i18n/refused.ts";

/** What a hook can send. */
export const HOOK_EVENTS = [
  "song.started",
  "song.ended",
  "playback.paused",
  "playback.stopped",
] as const;
export type HookEvent = (typeof HOOK_EVENTS)[number];

/** What is stored of a hook, encrypted. */
export interface HookSettings {
  readonly url: string;
  /** `whsec_` and base64, as Standard Webhooks describes it. */
  readonly secret: string;
  readonly events: readonly HookEvent[];
  /** The action that Streamer.bot does; `null` for a request as Standard Webhooks describes it. */
  readonly action: string | null;
}

/** A user's hook: an address that songs are sent to. */
export type Hook = HookSettings &
  Readonly<Pick<typeof hooks.$inferSelect, "id" | "userId" | "failures" | "off">>;

/** One whose settings cannot be read. Nothing is sent to it, and the user can only remove it. */
export interface DamagedHook extends Pick<Hook, "id" | "userId"> {
  readonly off: "damaged";
}

export type Hooks = ReturnType<typeof createHooks>;

export const MOST_HOOKS = 10;
const SECRET_BYTES = 32;

/** What two spellings of one address have in common. */
const addressKeyOf = (text: string): string => {
  const url = URL.parse(text);
  if (!url) return text;
  return `${url.protocol}//${url.hostname.replace(/\.$/, "")}:${url.port}${url.pathname}${url.search}`;
};

export function createHooks(
  { store, vault, wallMs }: AccountsContext,
  deferred: Pick<DeferredWrites, "write">,
) {
  const { queries } = store;
  const allOf = (userId: number): readonly (Hook | DamagedHook)[] =>
    queries
      .select()
      .from(hooks)
      .where(eq(hooks.userId, userId))
      .orderBy(asc(hooks.id))
      .all()
      .map(({ id, failures, off, sealedSettings }) => {
        const settings = readSealed(vault, "hook-settings", userId, sealedSettings);
        if (settings === undefined) return { id, userId, off: "damaged" };
        return { id, userId, failures, off, ...(settings as HookSettings) };
      });

  return {
    allOf,
    /** @throws {Refused} when the user has no such hook */
    find(user: User, id: number) {
      const hook = allOf(user.id).find((one) => one.id === id);
      if (hook) return hook;
      throw new Refused("hook.unknown");
    },
    /** The ids of users who have a hook. */
    users: () =>
      queries
        .selectDistinct({ userId: hooks.userId })
        .from(hooks)
        .all()
        .map(({ userId }) => userId),
    /** @throws {Refused} when the user has the maximum, or a hook with this address */
    async add(user: User, given: Omit<HookSettings, "secret">) {
      const random = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
      const settings: HookSettings = { ...given, secret: `whsec_${random.toBase64()}` };
      const sealedSettings = vault.seal("hook-settings", user.id, JSON.stringify(settings));
      const id = await store.write({ userId: user.id, what: "hooks" }, (tx) => {
        const all = allOf(user.id);
        const isTaken = all.some(
          (hook) => hook.off !== "damaged" && addressKeyOf(hook.url) === addressKeyOf(given.url),
        );
        if (isTaken) throw new Refused("hook.taken", {}, { field: "url" });
        if (all.length >= MOST_HOOKS) {
          throw new Refused("hook.tooMany", { most: String(MOST_HOOKS) });
        }
        const values = { userId: user.id, sealedSettings, createdAt: wallMs() };
        return tx.insert(hooks).values(values).returning({ id: hooks.id }).get().id;
      });
      return { id, userId: user.id, failures: 0, off: null, ...settings };
    },
    /** @throws {Refused} when the user has no such hook */
    async remove(user: User, id: number) {
      const isIt = and(eq(hooks.userId, user.id), eq(hooks.id, id));
      const removed = await store.write({ userId: user.id, what: "hooks" }, (tx) =>
        tx.delete(hooks).where(isIt).returning({ id: hooks.id }).get(),
      );
      if (!removed) throw new Refused("hook.unknown");
    },
    /** Stores how sending an event has ended. Deferred. */
    note: (id: number, result: Pick<Hook, "failures" | "off">) =>
      deferred.write(`hook ${id}`, async () => {
        const before = queries.select().from(hooks).where(eq(hooks.id, id)).get();
        if (!before) return;
        const update = () => queries.update(hooks).set(result).where(eq(hooks.id, id)).run();
        // How often it has failed is for its own delivery only.
        if (before.off === result.off) update();
        else await store.write({ userId: before.userId, what: "hooks" }, update);
      }),
  };
}
