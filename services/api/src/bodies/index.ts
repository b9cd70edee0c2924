/**
 * Every JSON body of the api, on whichever route: received within its budget, judged by its bytes,
 * parsed; large ones in threads, in turn between accounts.
 */
export { createBodies, type Bodies, type JsonBody } from './bodies.ts';
export type { HeldData } from './held-data.ts';
export type { Preparation } from './preparation.ts';
export { sayContinue, type BodyBounds } from './receive.ts';
export { hasBody, announcedBytes } from './head.ts';
export { isUsedAgain, keptBySocketBytes } from './memory.ts';
export { RequestBody } from './text-body.ts';
export type { Inspection, RenderCommand, Rendered, TextOperation } from './text-commands.ts';
export { turnAway } from './turn-away.ts';
export { bodySettingSchemas, type BodySettings } from './settings.ts';
