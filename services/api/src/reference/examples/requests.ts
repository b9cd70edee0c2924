import { customerCookie, operatorCookie } from '../../http/session-cookie.ts';
import type { OpenApiDocument } from '../document.ts';

type Json = Readonly<Record<string, unknown>>;

interface DocumentedParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly example?: string | number;
}

/** A request as the document shows it: what a person copies in some language, and what a test runs. */
export interface ExampleRequest {
  readonly operation: string;
  readonly summary: string;
  readonly method: string;
  /** With its query, and its ids. */
  readonly path: string;
  /** Those of the path, in its order. */
  readonly ids: readonly string[];
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** A file of the reader's that it sends. */
  readonly upload?: string | undefined;
  readonly returns: 'json' | 'text' | 'stream' | 'file';
  /** What the file is called that it returns. */
  readonly file?: string | undefined;
  /** What a program of several requests keeps of what it returns, for those that follow. */
  readonly keeps?: 'ID' | 'URL' | undefined;
}

/** Where a request goes to: the gateway, or an address that an earlier response has named. */
export const addressOf = (baseUrl: string, path: string): string =>
  path.startsWith('$') ? path : `${baseUrl}${path}`;

/** Whether a value is read more easily in one line than in several. */
export const fitsInLine = (literal: string): boolean =>
  literal.length <= 60 && !literal.includes('\n');

const uploads: Readonly<Record<string, string>> = { createAsset: 'cat.png' };
const files: Readonly<Record<string, string>> = {
  getVideoContent: 'video.mp4',
  getVideoLastFrame: 'last-frame.png',
  getVideoPoster: 'poster.jpg',
  getAssetContent: 'asset.png',
};

const credentials: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  bearer: { authorization: 'Bearer $KEY' },
  adminToken: { authorization: 'Bearer $ADMIN_TOKEN' },
  session: { cookie: `${customerCookie.name}=$SESSION` },
  adminSession: { cookie: `${operatorCookie.name}=$ADMIN_SESSION` },
};

/**
 * The requests of one operation: one for each example of its body, or one without. `$KEY`,
 * `$ADMIN_TOKEN`, `$TOKEN`, `$SESSION` and `$ADMIN_SESSION` stand for secrets.
 */
export function exampleRequests(
  document: OpenApiDocument,
  path: string,
  method: string,
): readonly ExampleRequest[] {
  const operation = document.paths[path]?.[method] ?? {};
  const parameters = (operation['parameters'] ?? []) as readonly DocumentedParameter[];
  const [security = {}] = operation['security'] as readonly Json[];
  const scheme = Object.keys(security)[0] ?? '';
  const examplesIn = (place: DocumentedParameter['in']): Record<string, string> =>
    Object.fromEntries(
      parameters
        .filter((each) => each.in === place && each.example !== undefined)
        .map(({ name, example }) => [name, String(example)]),
    );
  const [ids, query, headers] = [examplesIn('path'), examplesIn('query'), examplesIn('header')];
  const pairs = [
    ...Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`),
    ...(scheme === 'mediaToken' ? ['token=$TOKEN'] : []),
  ];
  const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) => String(ids[name]));
  const id = String(operation['operationId']);
  const common = {
    operation: id,
    method: method.toUpperCase(),
    path: `${filled}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}`,
    ids: Object.values(ids),
    query,
    upload: uploads[id],
    file: files[id],
  };
  const bodies = bodyExamples(operation);
  if (bodies.length === 0) {
    return [
      {
        ...common,
        summary: String(operation['summary']),
        headers: { ...credentials[scheme], ...headers },
        returns: returnsOf(operation, undefined),
      },
    ];
  }
  return bodies.map(({ summary, value }) => ({
    ...common,
    summary,
    headers: { ...credentials[scheme], ...headers, 'content-type': 'application/json' },
    body: value,
    returns: returnsOf(operation, value),
  }));
}

/** What comes as a stream, whatever was sent, and is over with its first event. */
const shortStreams: readonly string[] = ['callAgentTool'];

function returnsOf(
  { operationId, responses }: Json,
  body: { readonly stream?: unknown } | undefined,
): ExampleRequest['returns'] {
  if (Object.hasOwn(files, String(operationId))) return 'file';
  if (shortStreams.includes(String(operationId))) return 'text';
  const { content = {} } =
    (responses as Readonly<Record<string, { content?: object }>>)['200'] ?? {};
  if ('text/event-stream' in content && body?.stream === true) return 'stream';
  return 'application/json' in content ? 'json' : 'text';
}

interface BodyExample {
  readonly summary: string;
  readonly value: { readonly stream?: unknown };
}

type DocumentedBody =
  | { readonly content?: Record<string, { readonly examples?: Record<string, BodyExample> }> }
  | undefined;

function bodyExamples({ requestBody }: Json): readonly BodyExample[] {
  const content = (requestBody as DocumentedBody)?.content ?? {};
  return Object.values(content).flatMap(({ examples = {} }) => Object.values(examples));
}
