import { createHash, timingSafeEqual } from 'node:crypto';
import type { RequestHandler } from 'express';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Lets requests with this key through; the others get the vendor's own refusal. */
export const requireBearer = (apiKey: string, refusal: () => Error): RequestHandler =>
  requireHeader({ name: 'authorization', value: `Bearer ${apiKey}` }, refusal);

/** The same with any header. */
export function requireHeader(
  { name, value }: { readonly name: string; readonly value: string },
  refusal: () => Error,
): RequestHandler {
  const expected = digest(value);
  return (request, _response, next) => {
    if (timingSafeEqual(digest(request.get(name) ?? ''), expected)) next();
    else throw refusal();
  };
}
