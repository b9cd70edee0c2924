export type { Circuits } from './circuits.ts';
export type { Pace, PaceDecision, Paces } from './paces.ts';
export type { RateDecision, RateLimits } from './rate-limits.ts';
export * from './shared-limits.ts';
export type { Slot } from './slot-trips.ts';
export type { Slots } from './slots.ts';
