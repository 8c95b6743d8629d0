interface Turn {
  readonly work: () => Promise<void>;
  readonly done: PromiseWithResolvers<void>;
}

/**
 * Lets users take turns in what only one of them may do at a time.
 * @param mostAtOnce how much a user may prepare at the same time
 */
export function createTurns<User>(mostAtOnce: number) {
  const preparing = new Map<User, { running: number; readonly waiting: (() => Promise<void>)[] }>();
  const turns = new Map<User, Turn[]>();
  /** Who waits for a turn, the next one first. Whoever has a turn comes last again after it. */
  const round = new Set<User>();
  let isGoing = false;

  const goOn = (user: User) => {
    const own = preparing.get(user);
    if (!own) return;
    while (own.running < mostAtOnce) {
      const work = own.waiting.pop();
      if (!work) break;
      own.running += 1;
      void work().finally(() => {
        own.running -= 1;
        goOn(user);
      });
    }
    if (own.running === 0) preparing.delete(user);
  };

  const goRound = async () => {
    isGoing = true;
    // Also goes over those who come while it does.
    for (const user of round) {
      round.delete(user);
      const own = turns.get(user) ?? [];
      const turn = own.pop();
      await turn?.work().then(turn.done.resolve, turn.done.reject);
      if (own.length > 0) round.add(user);
      else turns.delete(user);
    }
    isGoing = false;
  };

  return {
    /**
     * Begins `work` when little other work of this user is under way; the newest first. Users do not
     * wait for each other here.
     * @param work must not reject
     */
    prepare(user: User, work: () => Promise<void>) {
      const own = preparing.get(user) ?? { running: 0, waiting: [] };
      preparing.set(user, own);
      own.waiting.push(work);
      goOn(user);
    },
    /**
     * Does `work` while nobody does any other. Users come round and round, each with one piece of work,
     * so nobody waits for more than one of every other user; a user's newest comes first.
     */
    alone(user: User, work: () => Promise<void>) {
      const turn = { work, done: Promise.withResolvers<void>() };
      const own = turns.get(user);
      if (own) own.push(turn);
      else {
        turns.set(user, [turn]);
        round.add(user);
      }
      if (!isGoing) void goRound();
      return turn.done.promise;
    },
  };
}
