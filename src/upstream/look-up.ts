import { createBoundedMap } from "../bounded-map.ts";

/** As long as `fetch` keeps an address, in milliseconds. */
const KEPT_MS = 30_000;
const MOST_NAMES = 256;

/**
 * A look-up whose answers are kept for half a minute: a server that is asked each second is not
 * looked up each second. One that fails is not kept.
 */
export function keepingAnswers<Answer>(
  lookUp: (name: string) => Promise<Answer>,
  nowMs: () => number,
): (name: string) => Promise<Answer> {
  const kept = createBoundedMap<
    string,
    { readonly untilMs: number; readonly answer: Promise<Answer> }
  >(MOST_NAMES);
  return (name) => {
    const known = kept.get(name);
    if (known && known.untilMs > nowMs()) return known.answer;
    const answer = lookUp(name);
    kept.set(name, { untilMs: nowMs() + KEPT_MS, answer });
    answer.catch(() => {
      if (kept.get(name)?.answer === answer) kept.take(name);
    });
    return answer;
  };
}
