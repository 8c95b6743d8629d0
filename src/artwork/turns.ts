import { createInTurn, type InTurn } from "../in-turn.ts";

/** @param alone does what only one user may do at a time */
export type Work = (alone: InTurn) => Promise<void>;

interface Own {
  running: number;
  readonly waiting: Work[];
  readonly alone: InTurn;
}

/**
 * Lets users take turns in what only one of them may do at a time. Each waits there with one piece of work,
 * so nobody waits for more than one of every other user.
 * @param mostAtOnce how much a user may prepare at the same time
 */
export function createTurns<User>(mostAtOnce: number) {
  const all = createInTurn();
  const users = new Map<User, Own>();

  const newOwn = (): Own => {
    const inTurn = createInTurn();
    return { running: 0, waiting: [], alone: (work) => inTurn(() => all(work)) };
  };

  const goOn = (user: User, own: Own) => {
    while (own.running < mostAtOnce) {
      const work = own.waiting.pop();
      if (!work) break;
      own.running += 1;
      void work(own.alone).finally(() => {
        own.running -= 1;
        goOn(user, own);
      });
    }
    if (own.running === 0) users.delete(user);
  };

  /**
   * Begins `work` when little other work of this user is under way; the newest first. Users do not wait for
   * each other until it has to be alone.
   * @param work must not reject
   */
  return (user: User, work: Work): void => {
    const own = users.get(user) ?? newOwn();
    users.set(user, own);
    own.waiting.push(work);
    goOn(user, own);
  };
}
