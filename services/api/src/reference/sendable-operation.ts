import { exampleRequests } from './examples/index.ts';
import type { OpenApiDocument } from './document.ts';
import type { DocumentedOperation } from './operation-html.ts';

/** What the page needs to send a route's request. */
interface SendableOperation {
  readonly method: string;
  readonly path: string;
  /** What its reader has to type in: an API key, the admin token, or nothing. */
  readonly credential: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly example: string;
    /** Stands in the query as `name[key]=value`, once for each of its pairs. */
    readonly isObject?: true;
  }[];
  readonly bodies: readonly { readonly summary: string; readonly text: string }[];
  readonly upload: boolean;
}

const credentials: Readonly<Record<string, string>> = {
  bearer: 'API key',
  adminToken: 'Admin token',
  mediaToken: '',
  open: '',
};

/**
 * The operation as the page sends it; nothing for one that only a browser's session opens, which the
 * page leaves alone.
 */
export function sendableOperation(
  document: OpenApiDocument,
  { path, method, operation }: { path: string; method: string; operation: DocumentedOperation },
): SendableOperation | undefined {
  const scheme = Object.keys(operation.security[0] ?? { open: [] })[0] ?? 'open';
  const credential = credentials[scheme];
  if (credential === undefined) return undefined;
  const parameters = (operation.parameters ?? []).map((parameter) => ({
    name: parameter.name,
    in: parameter.in,
    required: parameter.required === true,
    example: String(parameter.example ?? ''),
    ...(parameter.style === 'deepObject' && { isObject: true as const }),
  }));
  const token = { name: 'token', in: 'query', required: true, example: '' };
  return {
    method: method.toUpperCase(),
    path,
    credential,
    parameters: scheme === 'mediaToken' ? [...parameters, token] : parameters,
    bodies: exampleRequests(document, path, method)
      .filter(({ body }) => body !== undefined)
      .map(({ summary, body }) => ({ summary, text: JSON.stringify(body, null, 2) })),
    upload: 'multipart/form-data' in (operation.requestBody?.content ?? {}),
  };
}
