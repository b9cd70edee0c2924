import type { SharedClock } from '@gateway/runtime';
import type { Clock } from '../use-cases/ports.ts';

/** As the use cases take it. */
export const clockOf = ({ now }: Pick<SharedClock, 'now'>): Clock => ({ now, random: Math.random });

/** Leaves a round out while this process's clock is wrong. */
export const whenClockIsRight =
  ({ isRight }: Pick<SharedClock, 'isRight'>, work: () => Promise<void>): (() => Promise<void>) =>
  async () => {
    if (isRight()) await work();
  };
