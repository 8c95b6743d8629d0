/** Lets users take turns in what only one of them may do at a time. */
export interface Turns<User> {
  /**
   * Begins `work` once the user's work before it is done; users do not wait for each other.
   * @param work must not reject
   */
  queue(user: User, work: () => Promise<void>): void;
  /**
   * Does `work` while nobody else does any. Called from queued work only, so that each user waits
   * here at most once: who comes first is served first, and many covers of a user are one of them.
   */
  alone<Result>(work: () => Promise<Result>): Promise<Result>;
}

export function createTurns<User>(): Turns<User> {
  const queues = new Map<User, (() => Promise<void>)[]>();
  let last: Promise<unknown> = Promise.resolve();

  const workOff = async (user: User, queue: (() => Promise<void>)[]) => {
    for (let work = queue.shift(); work; work = queue.shift()) await work();
    queues.delete(user);
  };

  return {
    queue(user, work) {
      const queue = queues.get(user);
      if (queue) return void queue.push(work);
      const own = [work];
      queues.set(user, own);
      void workOff(user, own);
    },
    alone(work) {
      const turn = last.then(work);
      last = turn.catch(() => undefined);
      return turn;
    },
  };
}
