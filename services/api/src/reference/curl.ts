import type { OpenApiDocument } from './document.ts';

type Json = Readonly<Record<string, unknown>>;

interface DocumentedParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly example?: string | number;
}

/** A request as the document shows it: what a person copies, and what a test runs. */
export interface ExampleRequest {
  readonly summary: string;
  readonly method: string;
  /** With its query, and its ids. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

const credentials: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  bearer: { authorization: 'Bearer $KEY' },
  adminToken: { authorization: 'Bearer $ADMIN_TOKEN' },
};

/**
 * The requests of one operation: one for each example of its body, or one without. `$KEY`,
 * `$ADMIN_TOKEN` and `$TOKEN` stand for secrets.
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
  const inPath = (name: string): string =>
    String(parameters.find((each) => each.in === 'path' && each.name === name)?.example);
  const query = [
    ...parameters
      .filter((each) => each.in === 'query' && each.example !== undefined)
      .map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`),
    ...(scheme === 'mediaToken' ? ['token=$TOKEN'] : []),
  ];
  const headers = Object.fromEntries(
    parameters
      .filter((each) => each.in === 'header' && each.example !== undefined)
      .map(({ name, example }) => [name, String(example)]),
  );
  const common = {
    method: method.toUpperCase(),
    path: `${path.replace(/\{(\w+)\}/g, (_all, name: string) => inPath(name))}${query.length === 0 ? '' : `?${query.join('&')}`}`,
  };
  const bodies = bodyExamples(operation);
  if (bodies.length === 0) {
    return [
      {
        ...common,
        summary: String(operation['summary']),
        headers: { ...credentials[scheme], ...headers },
      },
    ];
  }
  return bodies.map(({ summary, value }) => ({
    ...common,
    summary,
    headers: { ...credentials[scheme], ...headers, 'content-type': 'application/json' },
    body: value,
  }));
}

function bodyExamples({
  requestBody,
}: Json): readonly { readonly summary: string; readonly value: unknown }[] {
  const content =
    (
      requestBody as
        | {
            content?: Record<
              string,
              { examples?: Record<string, { summary: string; value: unknown }> }
            >;
          }
        | undefined
    )?.content ?? {};
  return Object.values(content).flatMap(({ examples = {} }) => Object.values(examples));
}

const quote = (text: string): string =>
  /\$[A-Z]/.test(text)
    ? `"${text.replace(/["\\`]/g, '\\$&')}"`
    : `'${text.replaceAll("'", "'\\''")}'`;

/** The same as a command for a shell. An upload names a file. */
export function curlOf(baseUrl: string, { method, path, headers, body }: ExampleRequest): string {
  const upload = path.startsWith('/v1/assets') && method === 'POST' ? ['-F file=@cat.png'] : [];
  const parts = [
    `curl ${body === undefined && upload.length === 0 && method !== 'GET' ? `-X ${method} ` : ''}${quote(`${baseUrl}${path}`)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...upload,
    ...(body === undefined ? [] : [`-d ${quote(JSON.stringify(body))}`]),
  ];
  return parts.join(' \\\n  ');
}
