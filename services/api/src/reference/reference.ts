import { createHash } from 'node:crypto';
import { buildDocument } from './document.ts';
import { renderDocs, renderLanding } from './page.ts';
import { script, style } from './page-parts.ts';

/** A page with the policy under which a browser shows it. */
export interface Page {
  readonly html: string;
  readonly policy: string;
  readonly etag: string;
}

/** The API reference, made once at the start. */
export interface Reference {
  readonly version: string;
  readonly json: { readonly body: string; readonly etag: string };
  readonly docs: Page;
  readonly landing: Page;
}

/** Builds the document and its pages. `baseUrl` is where clients reach the gateway. */
export function createReference({
  baseUrl,
  version,
}: {
  readonly baseUrl: string;
  readonly version: string;
}): Reference {
  const document = buildDocument({ baseUrl: baseUrl.replace(/\/+$/, ''), version });
  const body = JSON.stringify(document);
  return {
    version,
    json: { body, etag: etagOf(body) },
    docs: pageOf(renderDocs(document)),
    landing: pageOf(renderLanding(document)),
  };
}

const etagOf = (text: string): string =>
  `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;
const sourceOf = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const policy = [
  "default-src 'none'",
  `style-src ${sourceOf(style)}`,
  `script-src ${sourceOf(script)}`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const pageOf = (html: string): Page => ({ html, policy, etag: etagOf(html) });
