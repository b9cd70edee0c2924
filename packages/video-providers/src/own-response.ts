import type { VendorResponse } from './http.ts';
import { readCode, readList, readRecord, readText } from './vendor-value.ts';

/**
 * A part of a JSON body by which a vendor is recognised: a sentence, a code (text or number), a list,
 * or an object with these parts; `absent` for what must not be there. What else is there does not
 * matter.
 */
export type Shape = 'text' | 'code' | 'list' | 'absent' | { readonly [field: string]: Shape };

const fits = (value: unknown, shape: Shape): boolean => {
  if (shape === 'text') return readText(value) !== undefined;
  if (shape === 'code') return readCode(value) !== undefined;
  if (shape === 'absent') return value === undefined;
  if (shape === 'list') return readList(value) !== undefined;
  const record = readRecord(value);
  return (
    record !== undefined &&
    Object.entries(shape).every(([field, part]) => fits(record[field], part))
  );
};

/** `application/json`, `application/problem+json`, with parameters or without. */
const jsonType = /^\s*application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

/**
 * Whether the vendor itself wrote this response: JSON of one of the shapes that its wire format has
 * for it. Everything else is a page of something in front of it
 * (proxy, firewall, load balancer, captive portal): HTML, text, nothing, JSON cut short, or JSON of
 * another shape. A page says nothing about a task.
 */
export function isOwn(
  { headers, json }: Pick<VendorResponse, 'headers' | 'json'>,
  shapes: readonly Shape[],
): boolean {
  const type = headers['content-type'];
  return (type === undefined || jsonType.test(type)) && shapes.some((shape) => fits(json, shape));
}

/**
 * Statuses with which something in front of the vendor refuses a request itself, without passing it
 * on: who may pass, where to, by which method, how large. When it passes a request on, it hands over
 * the vendor's response, or says 5xx, which is not certain. Neither are 408, 409, 425 and 499: they
 * tell of a request that began. (A firewall that blocks responses breaks the rule; the circuit breaker
 * then keeps the repetitions down to its probes.)
 */
const refusedInFront: ReadonlySet<number> = new Set([
  400, 401, 402, 403, 404, 405, 406, 407, 410, 411, 412, 413, 414, 415, 417, 421, 422, 426, 428,
  431, 451, 511,
]);

/** A page with this status is certain not to have reached the vendor. */
export const isRefusedInFront = (status: number): boolean => refusedInFront.has(status);
