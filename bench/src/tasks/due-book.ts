import { Redis } from 'ioredis';
import { jobs } from '@gateway/contracts';

/** A poll that is due so soon may be under way before we know of it. */
const tooSoonMs = 500;
const sampleEveryMs = 2_000;

export interface DueBook {
  /** The vendor was asked for this task. */
  polled(taskId: string, atMs: number): void;
  /** From now on lags are kept. */
  begin(): void;
  /**
   * By how much each poll since `begin` came later than it was due; one that is due and has not
   * come counts up to now. In ms.
   */
  end(): { readonly lagsMs: readonly number[]; readonly polls: number };
  stop(): Promise<void>;
}

/**
 * When each task is to be polled next, as the queue has it, against when the vendor got the
 * poll. A poll that is put off is late against the moment it was first due.
 */
export function openDueBook(redisUrl: string): DueBook {
  const redis = new Redis(redisUrl, { maxRetriesPerRequest: 1 });
  redis.on('error', () => undefined);
  const due = new Map<string, number>();
  const state = { isKept: false, polls: 0, lagsMs: [] as number[] };
  const sample = async (): Promise<void> => {
    const found = await redis.zrange(
      `gateway:${jobs['video.advance'].queue}:delayed`,
      '0',
      '-1',
      'WITHSCORES',
    );
    const soon = Date.now() + tooSoonMs;
    for (let index = 0; index < found.length; index += 2) {
      const taskId = found[index] ?? '';
      // BullMQ keeps the moment in ms above twelve bits that put jobs of one moment in their order.
      const dueAt = Math.floor(Number(found[index + 1]) / 4_096);
      if (dueAt > soon && !due.has(taskId)) due.set(taskId, dueAt);
    }
  };
  const timer = setInterval(() => {
    void sample().catch(() => undefined);
  }, sampleEveryMs);
  return {
    polled(taskId, atMs) {
      const dueAt = due.get(taskId);
      due.delete(taskId);
      if (!state.isKept) return;
      state.polls += 1;
      if (dueAt !== undefined) state.lagsMs.push(Math.max(0, atMs - dueAt));
    },
    begin() {
      state.isKept = true;
    },
    end() {
      state.isKept = false;
      const now = Date.now();
      const missing = [...due.values()].filter((dueAt) => dueAt < now).map((dueAt) => now - dueAt);
      return { lagsMs: [...state.lagsMs, ...missing], polls: state.polls };
    },
    stop() {
      clearInterval(timer);
      redis.disconnect();
      return Promise.resolve();
    },
  };
}
