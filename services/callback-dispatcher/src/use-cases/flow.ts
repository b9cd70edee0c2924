import { createFlowBook, firstWindow, type FlowBook, type FlowReceiver } from './flow-book.ts';
import type { Reservation } from './flow-book.ts';
import { refusalOf, type FlowRefusal, type FlowRules, type FlowTotals } from './flow-rules.ts';

export interface FlowAttempt {
  /** The receiver has ended it, or its time was up. */
  end(): void;
  /** It never began, or was cut off: it says nothing about the receiver. Only one of both is called, once. */
  cancel(): void;
}

/**
 * What this replica has in flight, and to whom. Slow receivers together get a quarter of it,
 * receivers that nobody knows another, and the rest is kept for those that ended their last attempt
 * in time. Slow accounts divide their quarter evenly, so that one alone is hardly limited. A
 * receiver that hangs is known to be slow after `slowAfterMs`, and gets no more than a few attempts
 * until then if it was not fast before.
 */
export interface Flow {
  begin(receiver: string): FlowAttempt | FlowRefusal;
  /** Keeps what one attempt takes for half a second, for a push that is about to be woken. */
  reserve(receiver: string): boolean;
  /** Gives so many back that were kept and are not needed. */
  unreserve(receiver: string, count: number): void;
  /**
   * That pushes wait for the receiver. While they do, no other passes them, unless it is fast.
   */
  setWaiting(receiver: string, isWaiting: boolean): void;
  /** In flight and kept. */
  taken(): FlowTotals['taken'];
  /** Drops what nobody has used for long. */
  forget(): void;
  size(): number;
}

const reservedMs = 500;
const forgetAfterMs = 600_000;

/** `now` in milliseconds of a clock that never jumps. */
export function createFlow(rules: FlowRules, now: () => number): Flow {
  const book = createFlowBook();
  const { advance, start, keep, giveBack } = createTimeline(book, rules, now);
  return {
    begin(key) {
      const time = advance();
      const receiver = book.receiverOf(key, time);
      const [kept] = receiver.reserved;
      if (kept !== undefined) giveBack(kept);
      else if (receiver.isWaiting && receiver.speed !== 'fast') return receiver.speed;
      return refusalOf(receiver, book.totals, rules) ?? start(receiver, time);
    },
    reserve(key) {
      const time = advance();
      const receiver = book.receiverOf(key, time);
      if (refusalOf(receiver, book.totals, rules) !== undefined) return false;
      keep(receiver, time);
      return true;
    },
    unreserve(key, count) {
      const { reserved } = book.receiverOf(key, now());
      for (const reservation of [...reserved].slice(0, count)) giveBack(reservation);
    },
    setWaiting(key, isWaiting) {
      book.receiverOf(key, now()).isWaiting = isWaiting;
    },
    taken() {
      advance();
      return { ...book.totals.taken };
    },
    forget() {
      book.forget(advance() - forgetAfterMs);
    },
    size: book.size,
  };
}

interface Started {
  readonly receiver: FlowReceiver;
  readonly at: number;
  isOverdue: boolean;
}

/** What has begun and what is kept, in the order of time. */
interface Timeline {
  /** Does what time has brought, and tells it. */
  advance(): number;
  start(receiver: FlowReceiver, at: number): FlowAttempt;
  keep(receiver: FlowReceiver, at: number): void;
  giveBack(reservation: Reservation): void;
}

function createTimeline(book: FlowBook, rules: FlowRules, now: () => number): Timeline {
  const started = new Set<Started>(); // a Set keeps its order: the oldest first
  const reservations = new Set<Reservation>();
  const giveBack = (reservation: Reservation): void => {
    reservations.delete(reservation);
    if (reservation.receiver.reserved.delete(reservation)) book.give(reservation.receiver);
  };
  const advance = (): number => {
    const time = now();
    for (const attempt of started) {
      if (time - attempt.at < rules.slowAfterMs) break;
      started.delete(attempt);
      attempt.isOverdue = true;
      attempt.receiver.overdue += 1;
      book.setSpeed(attempt.receiver, 'slow');
    }
    for (const reservation of reservations) {
      if (time - reservation.at < reservedMs) break;
      giveBack(reservation);
    }
    return time;
  };
  const leave = (attempt: Started): void => {
    const { receiver } = attempt;
    receiver.usedAt = advance();
    started.delete(attempt);
    if (attempt.isOverdue) receiver.overdue -= 1;
    book.give(receiver);
  };
  return {
    advance,
    giveBack,
    start(receiver, at) {
      const attempt: Started = { receiver, at, isOverdue: false };
      started.add(attempt);
      book.take(receiver);
      return {
        end() {
          leave(attempt);
          if (!attempt.isOverdue) noteInTime(receiver, book, rules);
        },
        cancel() {
          leave(attempt);
        },
      };
    },
    keep(receiver, at) {
      const reservation = { receiver, at };
      book.take(receiver);
      receiver.reserved.add(reservation);
      reservations.add(reservation);
    },
  };
}

/** One that was slow has to show anew how much it takes. */
function noteInTime(receiver: FlowReceiver, book: FlowBook, { maxPerOrigin }: FlowRules): void {
  if (receiver.overdue > 0) return; // others still hang there
  const grown = Math.min(receiver.window + 1, Math.max(maxPerOrigin, firstWindow));
  receiver.window = receiver.speed === 'slow' ? firstWindow : grown;
  book.setSpeed(receiver, 'fast');
}
