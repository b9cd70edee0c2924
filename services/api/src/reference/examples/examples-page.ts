import type { OpenApiDocument } from '../document.ts';
import { curlOf } from './curl.ts';
import { pythonOf } from './python.ts';
import { exampleRequests, type ExampleRequest } from './requests.ts';
import { typescriptOf } from './typescript.ts';

/** What customers do; sessions are the console's, and the rest is the operator's. */
const chapters = ['Videos', 'Assets', 'Callbacks', 'Text', 'Models', 'Billing', 'Keys', 'Agents'];

/** The languages of the page, with the word behind the fence of their blocks. */
const languages = [
  { title: 'curl', fence: 'bash', write: curlOf },
  { title: 'TypeScript', fence: 'ts', write: typescriptOf },
  { title: 'Python', fence: 'python', write: pythonOf },
] as const;

const head = `# Examples

Every call of a customer as curl, TypeScript and Python. \`npm run generate:client-types\` makes this page from the OpenAPI document, as it
makes the tabs of the [API reference](http://localhost:3000/docs); a test runs each block against the api. \`$KEY\` is an API key, in the
environment of the program; ids stand for your own. TypeScript uses the [client](sdk.md), or \`fetch\` where that has no method; Python needs its standard library alone.
`;

/** The page \`docs/examples.md\`: the examples of the document, by subject. */
export function examplesPage(document: OpenApiDocument): string {
  const baseUrl = 'http://localhost:3000';
  const sections = chapters.map((chapter) => {
    const examples = examplesOf(document, chapter).map((example) =>
      [`### ${titleOf(example)}`, ...languages.map((each) => blockOf(baseUrl, example, each))].join(
        '\n\n',
      ),
    );
    return [`## ${chapter}`, ...examples].join('\n\n');
  });
  return `${[head.trimEnd(), ...sections].join('\n\n')}\n`;
}

const examplesOf = (document: OpenApiDocument, tag: string): ExampleRequest[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => (tags as readonly string[]).includes(tag))
      // The same routes again, for clients that put no version into their paths.
      .filter(() => path.startsWith('/v1/') || !document.paths[`/v1${path}`])
      .flatMap(([method]) => exampleRequests(document, path, method)),
  );

const titleOf = ({ method, path, summary }: ExampleRequest): string =>
  `\`${method} ${path.split('?')[0]}\`: ${summary}`;

const blockOf = (
  baseUrl: string,
  example: ExampleRequest,
  { title, fence, write }: (typeof languages)[number],
): string =>
  [
    `<details><summary>${title}</summary>`,
    '',
    '<!-- not run: the test of the examples runs it -->',
    `\`\`\`${fence}`,
    write(baseUrl, example),
    '```',
    '',
    '</details>',
  ].join('\n');
