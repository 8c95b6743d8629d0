/** Sends to members in the order in which it is called, a slice of them in each turn of the event loop. */
export type SendTo<Member> = (members: Iterable<Member>, send: (member: Member) => void) => void;

/** How many are sent to in one turn, in about two milliseconds: requests are answered in between. */
const MOST_AT_ONCE = 100;

/** Few members are sent to at once, before the call returns. */
export function createSlices<Member>(): SendTo<Member> {
  let waiting: (() => void)[] = [];

  const sendSlice = () => {
    const slice = waiting.slice(0, MOST_AT_ONCE);
    waiting = waiting.slice(MOST_AT_ONCE);
    // Planned first: those of later turns get theirs even if one cannot be sent to.
    if (waiting.length > 0) setImmediate(sendSlice);
    for (const send of slice) send();
  };

  return (members, send) => {
    const isBusy = waiting.length > 0;
    for (const member of members) waiting.push(() => send(member));
    if (!isBusy) sendSlice();
  };
}
