/** Something that waits for one of several places. */
export interface Waiting {
  readonly accountId: string;
  /** Not all places may be taken by such things. */
  readonly isHeavy: boolean;
}

export interface Turns<Item extends Waiting> {
  add(item: Item): void;
  /** The next that may have a place now; it has one until `done`. */
  take(): Item | undefined;
  done(item: Item): void;
  readonly waiting: number;
}

/**
 * Accounts in turn, the oldest of each first. Of the places that there are, `most` at once are for
 * one account, and as many for heavy things.
 */
export function createTurns<Item extends Waiting>(most: number): Turns<Item> {
  /** In the order of their turns. */
  const queues = new Map<string, Item[]>();
  const atWork = new Map<string, number>();
  let heavy = 0;
  let waiting = 0;
  const mayStart = ({ accountId, isHeavy }: Item): boolean =>
    (atWork.get(accountId) ?? 0) < most && !(isHeavy && heavy >= most);
  const count = ({ accountId, isHeavy }: Item, by: 1 | -1): void => {
    const now = (atWork.get(accountId) ?? 0) + by;
    if (now === 0) atWork.delete(accountId);
    else atWork.set(accountId, now);
    if (isHeavy) heavy += by;
  };
  return {
    get waiting() {
      return waiting;
    },
    add(item) {
      const queue = queues.get(item.accountId);
      if (queue === undefined) queues.set(item.accountId, [item]);
      else queue.push(item);
      waiting += 1;
    },
    take() {
      for (const [accountId, queue] of queues) {
        const [item] = queue;
        if (item === undefined || !mayStart(item)) continue;
        queue.shift();
        waiting -= 1;
        queues.delete(accountId);
        if (queue.length > 0) queues.set(accountId, queue);
        count(item, 1);
        return item;
      }
      return undefined;
    },
    done(item) {
      count(item, -1);
    },
  };
}
