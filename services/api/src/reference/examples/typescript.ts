import type { ExampleRequest } from './requests.ts';

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
  const lines = Object.entries(value).map(
    ([name, each]) =>
      `${inner}${isList ? '' : `${nameOf(name)}: `}${literalOf(each, inner, write)},\n`,
  );
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  return lines.length === 0 ? open + close : `${open}\n${lines.join('')}${indent}${close}`;
}

const print = (call: string): string => `console.log(await client.${call});`;
const each = (call: string): string =>
  `for await (const item of client.${call}) {\n  console.log(item);\n}`;
const idIn = ({ ids: [id = ''] }: ExampleRequest): string => quoted(id);
const bodyOf = ({ body }: ExampleRequest): string => literalOf(body);
/** Lists go from page to page by themselves. */
const filterOf = ({ query }: ExampleRequest): string =>
  Object.keys(query).length === 0 ? '' : literalOf(query);
const download = (request: ExampleRequest, options: string): string =>
  `await writeFile(${quoted(request.file ?? '')}, await client.videos.download(${idIn(request)}${options}));`;

/** What the TypeScript client calls the operations that it knows. */
const calls: Readonly<Record<string, (request: ExampleRequest) => string>> = {
  createVideo: (request) => print(`videos.create(${bodyOf(request)})`),
  quoteVideo: (request) => print(`videos.quote(${bodyOf(request)})`),
  listVideos: (request) => each(`videos.list(${filterOf(request)})`),
  getVideo: (request) => print(`videos.get(${idIn(request)})`),
  listVideoMoments: (request) => print(`videos.timeline(${idIn(request)})`),
  cancelVideo: (request) => print(`videos.cancel(${idIn(request)})`),
  deleteVideo: (request) => print(`videos.delete(${idIn(request)})`),
  getVideoReceipt: (request) => print(`videos.receipt(${idIn(request)})`),
  getReceiptKeys: () => print('videos.receiptKeys()'),
  getVideoContent: (request) => download(request, ''),
  getVideoLastFrame: (request) => download(request, ", { file: 'last_frame' }"),
  listVideoCallbacks: (request) => each(`callbacks.list(${idIn(request)})`),
  redeliverVideoCallbacks: (request) => print(`callbacks.redeliver(${idIn(request)})`),
  listCallbacks: (request) => each(`callbacks.everywhere(${filterOf(request)})`),
  redeliverCallbacks: (request) => print(`callbacks.redeliverMany(${bodyOf(request)})`),
  getCallbackSecret: () => print('callbacks.secret()'),
  createAsset: ({ upload = '' }) =>
    `const bytes = Uint8Array.from(await readFile(${quoted(upload)}));\n${print(`assets.upload(bytes, { name: ${quoted(upload)} })`)}`,
  listAssets: () => each('assets.list()'),
  getAsset: (request) => print(`assets.get(${idIn(request)})`),
  deleteAsset: (request) => print(`assets.delete(${idIn(request)})`),
  listModels: () => each('models.list()'),
  getModel: (request) => print(`models.get(${idIn(request)})`),
  getBalance: () => print('balance()'),
  listUsage: (request) => print(`usage(${filterOf(request)})`),
  listLedgerEntries: () => each('ledger()'),
  createKey: (request) => print(`keys.create(${bodyOf(request)})`),
  listKeys: () => each('keys.list()'),
  revokeKey: (request) => print(`keys.revoke(${idIn(request)})`),
};

const usesOf: Readonly<Record<ExampleRequest['returns'], (file: string) => string>> = {
  json: () => 'console.log(await response.json());',
  text: () => 'console.log(await response.text());',
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
    `const response = await fetch(${textOf(`${baseUrl}${path}`)}${given});`,
    'if (!response.ok) throw new Error(await response.text());',
    usesOf[returns](file),
  ].join('\n');
}

/** A request in TypeScript: by the client where it knows the operation. */
export function typescriptOf(baseUrl: string, request: ExampleRequest): string {
  const call = calls[request.operation];
  const code = call?.(request) ?? fetchOf(baseUrl, request);
  const files = ['readFile', 'writeFile'].filter((name) => code.includes(`${name}(`));
  const key = 'authorization' in request.headers || request.returns === 'file';
  const options = [`baseUrl: ${quoted(baseUrl)}`, ...(key ? ['apiKey: process.env.KEY'] : [])];
  const imports = [
    ...files.map((name) => `import { ${name} } from 'node:fs/promises';\n`),
    ...(call === undefined ? [] : ["import { GatewayClient } from '@gateway/client';\n"]),
  ].join('');
  return [
    ...(imports === '' ? [] : [imports]),
    ...(call === undefined ? [] : [`const client = new GatewayClient({ ${options.join(', ')} });`]),
    code,
  ].join('\n');
}
