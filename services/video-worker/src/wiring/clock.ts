import type { Clock } from '../use-cases/ports.ts';

export const clock: Clock = { now: Date.now, random: Math.random };
