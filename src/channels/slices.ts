/** Tells members in the order in which it is called, a slice of them in each turn of the event loop. */
export type Tell<Member> = (members: Iterable<Member>, send: (member: Member) => void) => void;

/** So many are told in one turn: about two milliseconds, after which requests are answered first. */
const MOST_AT_ONCE = 100;

/** Few members are told at once, before the call returns. */
export function createSlices<Member>(): Tell<Member> {
  let waiting: (() => void)[] = [];

  const tellSlice = () => {
    const slice = waiting.slice(0, MOST_AT_ONCE);
    waiting = waiting.slice(MOST_AT_ONCE);
    for (const tell of slice) tell();
    if (waiting.length > 0) setImmediate(tellSlice);
  };

  return (members, send) => {
    const isBusy = waiting.length > 0;
    for (const member of members) waiting.push(() => send(member));
    if (!isBusy) tellSlice();
  };
}
