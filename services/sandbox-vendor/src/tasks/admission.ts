import { createRateLimiter, type RateLimiter } from './limits.ts';

/** Lets a creation of a model pass, or throws. */
export type Admit = (model: string) => void;

/** Counts the creations of each model on its own; `refuse` makes the response to one too many. */
export function createAdmission(
  createsPerMinute: number,
  now: () => number,
): (refuse: () => Error) => Admit {
  return (refuse) => {
    const limiters = new Map<string, RateLimiter>();
    return (model) => {
      const limiter =
        limiters.get(model) ??
        createRateLimiter({ limit: createsPerMinute, windowMs: 60_000, now });
      limiters.set(model, limiter);
      if (!limiter.take()) throw refuse();
    };
  };
}
