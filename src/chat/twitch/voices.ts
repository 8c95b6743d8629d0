import type { SayOnce } from "./answering.ts";

/** What says a line in the chat of an account that runs, by the account's id. */
export type Voices = ReturnType<typeof createVoices>;

export function createVoices() {
  const known = new Map<number, PromiseWithResolvers<SayOnce>>();
  const of = (accountId: number) => {
    const voice = known.get(accountId) ?? Promise.withResolvers<SayOnce>();
    known.set(accountId, voice);
    return voice;
  };
  return {
    /** Resolves as soon as the account runs. */
    of: (accountId: number) => of(accountId).promise,
    begin: (accountId: number, sayOnce: SayOnce) => of(accountId).resolve(sayOnce),
    end: (accountId: number) => void known.delete(accountId),
  };
}
