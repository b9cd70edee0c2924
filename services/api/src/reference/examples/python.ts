import { addressOf, fitsInLine, type ExampleRequest } from './requests.ts';

const tab = '    ';

/** A text, with secrets from the environment. JSON's escapes are Python's. */
function textOf(text: string): string {
  const [, secret] = /^\$([A-Z_]+)$/.exec(text) ?? [];
  if (secret !== undefined) return `os.environ[${JSON.stringify(secret)}]`;
  return /\$[A-Z]/.test(text)
    ? `f${JSON.stringify(text.replace(/[{}]/g, '$&$&')).replace(/\$([A-Z_]+)/g, "{os.environ['$1']}")}`
    : JSON.stringify(text);
}

const constants: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' };

function literalOf(value: unknown, indent: string): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value !== 'object' || value === null) {
    return constants[String(value)] ?? String(value);
  }
  const isList = Array.isArray(value);
  const parts = Object.entries(value).map(
    ([name, each]) =>
      `${isList ? '' : `${JSON.stringify(name)}: `}${literalOf(each, indent + tab)}`,
  );
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  const inOneLine = open + parts.join(', ') + close;
  return fitsInLine(inOneLine)
    ? inOneLine
    : `${open}\n${parts.map((part) => `${indent}${tab}${part},\n`).join('')}${indent}${close}`;
}

const usesOf: Readonly<Record<ExampleRequest['returns'], (file: string) => readonly string[]>> = {
  json: () => ['print(json.load(response))'],
  text: () => ['print(response.read().decode())'],
  stream: () => ['for line in response:', `${tab}print(line.decode(), end="")`],
  file: (file) => [
    `with open(${JSON.stringify(file)}, "wb") as file:`,
    `${tab}file.write(response.read())`,
  ],
};

/** What is kept of a response: the name that it gets, and where it stands. */
const kept: Readonly<Record<NonNullable<ExampleRequest['keeps']>, readonly [string, string]>> = {
  ID: ['video_id', '["id"]'],
  URL: ['video_url', '["content"]["video_url"]'],
};

function useOf({ returns, file = '', keeps }: ExampleRequest): readonly string[] {
  if (keeps === undefined) return usesOf[returns](file);
  const [name, place] = kept[keeps];
  return [`${name} = json.load(response)${place}`];
}

function statementOf(baseUrl: string, request: ExampleRequest): string {
  const { method, path, body, upload } = request;
  const headers = Object.entries({
    ...request.headers,
    ...(upload !== undefined && { 'content-type': 'image/png' }),
  });
  const lines = [
    `${textOf(addressOf(baseUrl, path))},`,
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
  return [
    'request = Request(',
    ...lines.map((line) => tab + line),
    ')',
    'with urlopen(request) as response:',
    ...useOf(request).map((line) => tab + line),
  ].join('\n');
}

/** What an earlier request has kept comes from there, and not from the environment. */
const withKept = (code: string, { keeps }: ExampleRequest): string =>
  keeps === undefined
    ? code
    : code.replaceAll(new RegExp(`os\\.environ\\[['"]${keeps}['"]\\]`, 'g'), kept[keeps][0]);

/** Requests one after the other in Python, with its standard library alone. */
export function pythonOf(baseUrl: string, ...requests: readonly ExampleRequest[]): string {
  const last = requests.length - 1;
  const statements = requests.map((request, at) =>
    // What nothing follows is shown.
    statementOf(baseUrl, at === last ? { ...request, keeps: undefined } : request),
  );
  const code = requests.reduce(withKept, statements.join('\n\n'));
  const imports = ['json', 'os'].filter((name) => code.includes(`${name}.`));
  return [
    ...imports.map((name) => `import ${name}`),
    'from urllib.request import Request, urlopen',
    '',
    code,
  ].join('\n');
}
