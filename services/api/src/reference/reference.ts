import { createHash } from 'node:crypto';
import { buildDocument, type DocumentPart } from './document.ts';
import { renderDocs, renderLanding, type RenderedPage } from './page.ts';

/**
 * A page with the policy under which a browser shows it; in bytes, of which V8 would take two for each
 * character.
 */
export interface Page {
  readonly html: Buffer;
  readonly policy: string;
  readonly etag: string;
}

interface JsonFile {
  readonly body: Buffer;
  readonly etag: string;
}

/** The API reference, made once at the start. */
export interface Reference {
  readonly version: string;
  readonly json: JsonFile;
  /** Those that are served. */
  readonly parts: Readonly<Record<'video' | 'text', JsonFile>>;
  readonly docs: Page;
  readonly landing: Page;
}

interface About {
  readonly baseUrl: string;
  readonly version: string;
  /** Whether the front door leads to the console too. */
  readonly hasConsole?: boolean;
}

const built = new Map<string, Reference>();

/**
 * The document and its pages. `baseUrl` is where clients reach the gateway. Building them takes a
 * quarter of the start of an api: tests that start many in one process build them once.
 */
export function createReference(about: About): Reference {
  const key = JSON.stringify(about);
  const reference = built.get(key) ?? buildReference(about);
  built.set(key, reference);
  return reference;
}

function buildReference({ baseUrl, version, hasConsole = false }: About): Reference {
  const about = { baseUrl: baseUrl.replace(/\/+$/, ''), version };
  const document = buildDocument(about);
  const partOf = (part: DocumentPart): JsonFile => fileOf(buildDocument({ ...about, part }));
  return {
    version,
    json: fileOf(document),
    parts: { video: partOf('video'), text: partOf('text') },
    docs: pageOf(renderDocs(document)),
    landing: pageOf(renderLanding(document, { hasConsole })),
  };
}

function fileOf(document: object): JsonFile {
  const body = Buffer.from(JSON.stringify(document));
  return { body, etag: etagOf(body) };
}

const etagOf = (bytes: Buffer): string =>
  `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`;

function pageOf({ html: text, policy }: RenderedPage): Page {
  const html = Buffer.from(text);
  return { html, policy, etag: etagOf(html) };
}
