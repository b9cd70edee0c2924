import type { Log } from '@gateway/runtime';
import type { Router } from 'express';
import type { Activity } from '../control/activity.ts';
import type { Faults } from '../control/faults.ts';
import type { Links } from '../files/links.ts';
import type { RenderCache } from '../render/render-cache.ts';
import type { Admit } from './admission.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { RateLimiter } from './limits.ts';
import type { Task } from './task.ts';
import type { TaskStore } from './task-store.ts';

/** A vendor of videos that the sandbox stands in for: everything but its words is shared. */
export interface SimulatedVendor {
  /** The name of its wire format, which its tasks carry. */
  readonly format: string;
  /** The path its routes stand under. */
  readonly path: string;
  /** How a sentence names the format: "the … format". */
  readonly speaks: string;
  /** Its part of what `GET /` shows. */
  readonly listing: object;
  /** A task as this vendor shows it, in callbacks too. */
  readonly show: (task: Task) => object;
  readonly routes: (core: VendorCore) => Router;
}

/** What every simulated vendor works with. */
export interface VendorCore {
  readonly apiKey: string;
  readonly maxBodyBytes: number;
  /** The limits are the documented ones. */
  readonly isStrict: boolean;
  readonly store: TaskStore;
  readonly lifecycle: Lifecycle;
  readonly activity: Activity;
  readonly faults: Faults;
  readonly limiters: Readonly<Record<'get' | 'list' | 'delete', RateLimiter>>;
  /** Counts creations; each call counts on its own. */
  readonly admission: (refuse: () => Error) => Admit;
  readonly links: Links;
  readonly videos: Pick<RenderCache, 'get'>;
  readonly log: Log;
  readonly now: () => number;
  readonly random: () => number;
}
