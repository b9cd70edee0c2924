import { GatewayError } from '@gateway/domain';
import { type Fields, isFields } from '../json.ts';
import type { CacheControl } from '../neutral.ts';

/** A 400 that names the field and what would be right. */
export const refuse = (param: string, wanted: string): GatewayError =>
  new GatewayError('invalid_parameter', `${param} ${wanted}`, { param });

/** A 400 for what is well formed but cannot be told to an upstream of the chat dialect. */
export const cannotCarry = (param: string, what: string): GatewayError =>
  new GatewayError('unsupported_parameter', `${param}: ${what}`, { param });

/** Each is told where the value stands; `field` is put behind that only to refuse it. */
export function readString(value: unknown, param: string, field = ''): string {
  if (typeof value === 'string') return value;
  throw refuse(`${param}${field}`, 'must be a string');
}

export function readName(value: unknown, param: string, field = ''): string {
  if (typeof value === 'string' && value !== '') return value;
  throw refuse(`${param}${field}`, 'must be a non-empty string');
}

export function readObject(value: unknown, param: string, field = ''): Fields {
  if (isFields(value)) return value;
  throw refuse(`${param}${field}`, 'must be an object');
}

export function readList(value: unknown, param: string): readonly unknown[] {
  if (Array.isArray(value)) return value as unknown[];
  throw refuse(param, 'must be an array');
}

/** A number, or nothing when the field is absent or null. */
export function readNumber(value: unknown, param: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw refuse(param, 'must be a number');
}

/** The two fields every upstream that knows caching knows; a `scope` is a client's affair. */
export function readCacheControl(fields: Fields): { cacheControl?: CacheControl } {
  const control = fields['cache_control'];
  if (!isFields(control) || typeof control['type'] !== 'string') return {};
  return {
    cacheControl: {
      type: control['type'],
      ...(typeof control['ttl'] === 'string' && { ttl: control['ttl'] }),
    },
  };
}

/** A part with the `cache_control` of its block, which most have not. */
export const withCacheControl = <Part extends object>(part: Part, fields: Fields): Part =>
  fields['cache_control'] === undefined ? part : { ...part, ...readCacheControl(fields) };
