import type { ExampleRequest } from './requests.ts';

const quote = (text: string): string =>
  /\$[A-Z]/.test(text)
    ? `"${text.replace(/["\\`]/g, '\\$&')}"`
    : `'${text.replaceAll("'", "'\\''")}'`;

/** Requests as commands for a shell. */
export const curlOf = (baseUrl: string, ...requests: readonly ExampleRequest[]): string =>
  requests.map((request) => commandOf(baseUrl, request)).join('\n');

function commandOf(baseUrl: string, request: ExampleRequest): string {
  const { method, path, headers, body, upload, file } = request;
  const usual = body === undefined && upload === undefined ? 'GET' : 'POST';
  const parts = [
    `curl ${method === usual ? '' : `-X ${method} `}${quote(`${baseUrl}${path}`)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(upload === undefined ? [] : [`-F file=@${upload}`]),
    ...(body === undefined ? [] : [`-d ${quote(JSON.stringify(body, null, 2))}`]),
    ...(file === undefined ? [] : [`-o ${file}`]),
  ];
  return parts.join(' \\\n  ');
}
