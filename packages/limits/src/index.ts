export type { Breakers } from './breakers.ts';
export type { PacerLimit, PacerPermit, Pacers } from './pacers.ts';
export type { RateDecision } from './rate-limits.ts';
export type { RequestBounds, RequestLimits, RequestVerdict } from './request-limits.ts';
export type { RouteBreakers, RouteFailure } from './route-breakers.ts';
export {
  createSharedLimits,
  type SharedLimits,
  type SharedLimitsOptions,
} from './shared-limits.ts';
export type { Slot } from './slot-serving.ts';
export type { Slots } from './slots.ts';
export type { VendorBreakers, VendorChange, VendorPermit } from './vendor-breakers.ts';
