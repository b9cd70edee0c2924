import { addressOf, fitsInLine, type ExampleRequest } from './requests.ts';

const quoted = (text: string): string =>
  /['\\\n\r]/.test(text) ? JSON.stringify(text) : `'${text}'`;

/** A text, with secrets from the environment. */
const textOf = (text: string): string =>
  /\$[A-Z]/.test(text) ? `\`${text.replace(/\$([A-Z_]+)/g, '${process.env.$1}')}\`` : quoted(text);

const nameOf = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : quoted(name));

function literalOf(value: unknown, indent = '', write: (text: string) => string = quoted): string {
  if (typeof value === 'string') return write(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const isList = Array.isArray(value);
  const inner = `${indent}  `;
  const parts = Object.entries(value).map(
    ([name, each]) => `${isList ? '' : `${nameOf(name)}: `}${literalOf(each, inner, write)}`,
  );
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  const space = isList || parts.length === 0 ? '' : ' ';
  const inOneLine = [open, parts.join(', '), close].join(space);
  return fitsInLine(inOneLine)
    ? inOneLine
    : `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${indent}${close}`;
}

/** A call of the client, or what goes through its items. */
type Written = { readonly value: string } | { readonly statement: string };

const result = (call: string): Written => ({ value: `await client.${call}` });
const each = (call: string): Written => ({
  statement: `for await (const item of client.${call}) {\n  console.log(item);\n}`,
});
const idIn = ({ ids: [id = ''] }: ExampleRequest): string => textOf(id);
const bodyOf = ({ body }: ExampleRequest): string => literalOf(body);
const filterOf = ({ query }: ExampleRequest): string =>
  Object.keys(query).length === 0 ? '' : literalOf(query);

/** A list goes from page to page by itself; with a limit it is one page. */
function list(call: string, request: ExampleRequest, takesFilter = true): Written {
  const { limit, ...query } = request.query;
  const filter = filterOf({ ...request, query });
  if (limit === undefined) return each(`${call}(${filter})`);
  const given = [...(takesFilter ? [filter || '{}'] : []), `{ perPage: ${limit} }`];
  return result(`${call}(${given.join(', ')}).page()`);
}

/** Reads a video, with what else is asked for. */
const read = (request: ExampleRequest): Written => {
  const options = filterOf(request);
  return result(`videos.get(${idIn(request)}${options === '' ? '' : `, ${options}`})`);
};

const download = (request: ExampleRequest, options: string): Written => ({
  statement: `await writeFile(${quoted(request.file ?? '')}, await client.videos.download(${idIn(request)}${options}));`,
});
const upload = ({ upload: file = '' }: ExampleRequest): Written => ({
  statement: `const bytes = Uint8Array.from(await readFile(${quoted(file)}));\nconsole.log(await client.assets.upload(bytes, { name: ${quoted(file)} }));`,
});

/** What the TypeScript client calls the operations that it knows. */
const calls: Readonly<Record<string, (request: ExampleRequest) => Written | undefined>> = {
  createVideo: (request) => result(`videos.create(${bodyOf(request)})`),
  quoteVideo: (request) => result(`videos.quote(${bodyOf(request)})`),
  listVideos: (request) => list('videos.list', request),
  getVideo: read,
  listVideoEvents: (request) =>
    request.returns === 'stream' ? each(`videos.events(${idIn(request)})`) : undefined,
  listEvents: ({ returns }) => (returns === 'stream' ? each('events()') : undefined),
  testCallback: ({ body }) =>
    result(`callbacks.test(${literalOf((body as { callback_url?: string }).callback_url)})`),
  listEndpoints: () => each('endpoints.list()'),
  createEndpoint: (request) => result(`endpoints.create(${bodyOf(request)})`),
  getEndpoint: (request) => result(`endpoints.get(${idIn(request)})`),
  changeEndpoint: (request) => result(`endpoints.change(${idIn(request)}, ${bodyOf(request)})`),
  deleteEndpoint: (request) => result(`endpoints.delete(${idIn(request)})`),
  verifyEndpoint: (request) => result(`endpoints.verify(${idIn(request)})`),
  testEndpoint: (request) => result(`endpoints.test(${idIn(request)})`),
  listVideoMoments: (request) => result(`videos.timeline(${idIn(request)})`),
  cancelVideo: (request) => result(`videos.cancel(${idIn(request)})`),
  deleteVideo: (request) => result(`videos.delete(${idIn(request)})`),
  getVideoReceipt: (request) => result(`videos.receipt(${idIn(request)})`),
  getReceiptKeys: () => result('videos.receiptKeys()'),
  getVideoContent: (request) => download(request, ''),
  getVideoLastFrame: (request) => download(request, ", { file: 'last_frame' }"),
  getVideoPoster: (request) => download(request, ", { file: 'poster' }"),
  listVideoCallbacks: (request) => each(`callbacks.list(${idIn(request)})`),
  redeliverVideoCallbacks: (request) => result(`callbacks.redeliver(${idIn(request)})`),
  listCallbacks: (request) => list('callbacks.everywhere', request),
  redeliverCallbacks: (request) => result(`callbacks.redeliverMany(${bodyOf(request)})`),
  getCallbackSecret: () => result('callbacks.secret()'),
  createAsset: upload,
  listAssets: () => each('assets.list()'),
  getAsset: (request) => result(`assets.get(${idIn(request)})`),
  deleteAsset: (request) => result(`assets.delete(${idIn(request)})`),
  listModels: () => each('models.list()'),
  getModel: (request) => result(`models.get(${idIn(request)})`),
  getBalance: () => result('balance()'),
  listUsage: ({ query: { format, ...query }, ...request }) =>
    result(`${format === 'csv' ? 'usageCsv' : 'usage'}(${filterOf({ ...request, query })})`),
  listLedgerEntries: (request) => list('ledger', request, false),
  createKey: (request) => result(`keys.create(${bodyOf(request)})`),
  listKeys: () => each('keys.list()'),
  revokeKey: (request) => result(`keys.revoke(${idIn(request)})`),
};

const usesOf: Readonly<Record<ExampleRequest['returns'], (file: string) => string>> = {
  json: () => 'console.log(await response.json());',
  text: () => 'console.log(await response.text());',
  stream: () => 'for await (const chunk of response.body ?? []) process.stdout.write(chunk);',
  file: (file) => `await writeFile(${quoted(file)}, Buffer.from(await response.arrayBuffer()));`,
};

/** What the client has no method for, as any program sends it. */
function fetchOf(baseUrl: string, request: ExampleRequest): string {
  const { method, path, headers, body, returns, file = '' } = request;
  const options = [
    ...(method === 'GET' ? [] : [`method: ${quoted(method)}`]),
    ...(Object.keys(headers).length === 0 ? [] : [`headers: ${literalOf(headers, '  ', textOf)}`]),
    ...(body === undefined ? [] : [`body: JSON.stringify(${literalOf(body, '  ')})`]),
  ];
  const given =
    options.length === 0 ? '' : `, {\n${options.map((line) => `  ${line},\n`).join('')}}`;
  return [
    `const response = await fetch(${textOf(addressOf(baseUrl, path))}${given});`,
    'if (!response.ok) throw new Error(await response.text());',
    usesOf[returns](file),
  ].join('\n');
}

function statementOf(baseUrl: string, request: ExampleRequest): string {
  const written = calls[request.operation]?.(request);
  if (written === undefined) return fetchOf(baseUrl, request);
  if ('statement' in written) return written.statement;
  return request.keeps === 'ID'
    ? `const { id } = ${written.value};`
    : `console.log(${written.value});`;
}

/** What an earlier request has kept comes from there, and not from the environment. */
const withKept = (code: string, { keeps }: ExampleRequest): string =>
  keeps === 'ID' ? code.replaceAll('`${process.env.ID}`', 'id') : code;

/** Requests one after the other in TypeScript: by the client where it knows the operation. */
export function typescriptOf(baseUrl: string, ...requests: readonly ExampleRequest[]): string {
  const last = requests.length - 1;
  const steps = requests
    // What nothing follows is shown.
    .map((request, at) => (at === last ? { ...request, keeps: undefined } : request))
    // The client looks the address of a file up by itself.
    .filter(({ keeps }) => keeps !== 'URL');
  const code = steps.reduce(
    withKept,
    steps.map((request) => statementOf(baseUrl, request)).join('\n'),
  );
  const files = ['readFile', 'writeFile'].filter((name) => code.includes(`${name}(`));
  const hasClient = code.includes(' client.');
  const needsKey = steps.some(
    ({ headers, returns }) => 'authorization' in headers || returns === 'file',
  );
  const options = [`baseUrl: ${quoted(baseUrl)}`, ...(needsKey ? ['apiKey: process.env.KEY'] : [])];
  const imports = [
    ...files.map((name) => `import { ${name} } from 'node:fs/promises';\n`),
    ...(hasClient ? ["import { GatewayClient } from '@gateway/client';\n"] : []),
  ].join('');
  return [
    ...(imports === '' ? [] : [imports]),
    ...(hasClient ? [`const client = new GatewayClient({ ${options.join(', ')} });`] : []),
    code,
  ].join('\n');
}
