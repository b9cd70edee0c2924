import type { ExampleRequest } from './requests.ts';

const tab = '    ';

/** A text, with secrets from the environment. JSON's escapes are Python's. */
const textOf = (text: string): string =>
  /\$[A-Z]/.test(text)
    ? `f${JSON.stringify(text.replace(/[{}]/g, '$&$&')).replace(/\$([A-Z_]+)/g, "{os.environ['$1']}")}`
    : JSON.stringify(text);

const constants: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' };

function literalOf(value: unknown, indent: string): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value !== 'object' || value === null) {
    return constants[String(value)] ?? String(value);
  }
  const isList = Array.isArray(value);
  const lines = Object.entries(value).map(
    ([name, each]) =>
      `${indent}${tab}${isList ? '' : `${JSON.stringify(name)}: `}${literalOf(each, indent + tab)},\n`,
  );
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  return lines.length === 0 ? open + close : `${open}\n${lines.join('')}${indent}${close}`;
}

const usesOf: Readonly<Record<ExampleRequest['returns'], (file: string) => readonly string[]>> = {
  json: () => ['print(json.load(response))'],
  text: () => ['print(response.read().decode())'],
  file: (file) => [
    `with open(${JSON.stringify(file)}, "wb") as file:`,
    `${tab}file.write(response.read())`,
  ],
};

/** A request in Python, with its standard library alone. */
export function pythonOf(baseUrl: string, request: ExampleRequest): string {
  const { method, path, body, upload, returns, file = '' } = request;
  const headers = Object.entries({
    ...request.headers,
    ...(upload !== undefined && { 'content-type': 'image/png' }),
  });
  const lines = [
    `${textOf(`${baseUrl}${path}`)},`,
    ...(method === 'GET' ? [] : [`method=${JSON.stringify(method)},`]),
    ...(headers.length === 0
      ? []
      : [
          'headers={',
          ...headers.map(([name, value]) => `${tab}${JSON.stringify(name)}: ${textOf(value)},`),
          '},',
        ]),
    ...(upload === undefined ? [] : [`data=open(${JSON.stringify(upload)}, "rb").read(),`]),
    ...(body === undefined ? [] : [`data=json.dumps(${literalOf(body, tab)}).encode(),`]),
  ];
  const code = [
    'request = Request(',
    ...lines.map((line) => tab + line),
    ')',
    'with urlopen(request) as response:',
    ...usesOf[returns](file).map((line) => tab + line),
  ].join('\n');
  const imports = ['json', 'os'].filter((name) => code.includes(`${name}.`));
  return [
    ...imports.map((name) => `import ${name}`),
    'from urllib.request import Request, urlopen',
    '',
    code,
  ].join('\n');
}
