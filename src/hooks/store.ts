import { and, asc, eq } from "drizzle-orm";
import { type AccountsContext, readSealed } from "../accounts/context.ts";
import type { DeferredWrites } from "../db/deferred-writes.ts";
import type { User } from "../accounts/users.ts";
import { hooks } from "../db/schema.ts";
import { Refused } from "../i18n/refused.ts";
import { createInTurn } from "../in-turn.ts";

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
export interface Hook extends HookSettings {
  /** Never reused. */
  readonly id: number;
  readonly userId: number;
  readonly failures: number;
  /** Why nothing is sent any more: the address is gone (410), or failed a hundred times in a row. */
  readonly off: "gone" | "failing" | null;
}

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
  const allOf = (userId: number): Promise<readonly (Hook | DamagedHook)[]> => {
    const rows = queries
      .select()
      .from(hooks)
      .where(eq(hooks.userId, userId))
      .orderBy(asc(hooks.id))
      .all();
    return Promise.all(
      rows.map(async ({ id, failures, off, sealedSettings }) => {
        const settings = await readSealed(vault, "hook-settings", userId, sealedSettings);
        if (settings === undefined) return { id, userId, off: "damaged" as const };
        return { id, userId, failures, off, ...(settings as HookSettings) };
      }),
    );
  };
  /** Two requests at once do not both find that an address is still free. */
  const inTurn = createInTurn();

  /** @throws {Refused} */
  const refuseSameAddress = async (user: User, url: string): Promise<void> => {
    const all = await allOf(user.id);
    const isTaken = all.some(
      (hook) => hook.off !== "damaged" && addressKeyOf(hook.url) === addressKeyOf(url),
    );
    if (isTaken) throw new Refused("hook.taken", {}, { field: "url" });
  };

  return {
    allOf,
    /** @throws {Refused} when the user has no such hook */
    async find(user: User, id: number) {
      const hook = (await allOf(user.id)).find((one) => one.id === id);
      if (hook) return hook;
      throw new Refused("hook.unknown");
    },
    /** The ids of users who have a hook. */
    users: async () =>
      queries
        .selectDistinct({ userId: hooks.userId })
        .from(hooks)
        .all()
        .map(({ userId }) => userId),
    /** @throws {Refused} when the user has the maximum, or a hook with this address */
    add: (user: User, given: Omit<HookSettings, "secret">) =>
      inTurn(async () => {
        await refuseSameAddress(user, given.url);
        const random = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
        const settings: HookSettings = { ...given, secret: `whsec_${random.toBase64()}` };
        const id = await vault.whileKeyStays(async () => {
          const text = JSON.stringify(settings);
          const sealedSettings = await vault.seal("hook-settings", user.id, text);
          return store.write({ userId: user.id, what: "hooks" }, (tx) => {
            const isOfUser = eq(hooks.userId, user.id);
            const own = tx.select({ id: hooks.id }).from(hooks).where(isOfUser).all();
            if (own.length >= MOST_HOOKS) {
              throw new Refused("hook.tooMany", { most: String(MOST_HOOKS) });
            }
            const values = { userId: user.id, sealedSettings, createdAt: wallMs() };
            return tx.insert(hooks).values(values).returning({ id: hooks.id }).get().id;
          });
        });
        return { id, userId: user.id, failures: 0, off: null, ...settings };
      }),
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
