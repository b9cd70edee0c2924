import { createHash, timingSafeEqual } from 'node:crypto';
import type { RequestHandler } from 'express';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Lets requests with this key through; the others get the vendor's own refusal. */
export function requireBearer(apiKey: string, refusal: () => Error): RequestHandler {
  const expected = digest(`Bearer ${apiKey}`);
  return (request, _response, next) => {
    if (timingSafeEqual(digest(request.get('authorization') ?? ''), expected)) next();
    else throw refusal();
  };
}
