import type { Response } from 'express';
import type { Page } from './reference.ts';

/** A page that loads nothing and runs only what its policy names. */
export function sendPage(response: Response, { html, policy }: Page): void {
  response.set({
    'content-security-policy': policy,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
  });
  response.type('text/html').send(html);
}
