/** Does work when all that was given before is done, and resolves or rejects as the work does. */
export type InTurn = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** One piece of work after the other, in the order of the calls. One that fails stops none after it. */
export function createInTurn(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work);
    last = turn.catch(() => {});
    return turn;
  };
}
