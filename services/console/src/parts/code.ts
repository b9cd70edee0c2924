import type { VideoRequest } from '@gateway/client';

export type CodeLanguage = 'curl' | 'TypeScript';
export const codeLanguages: readonly CodeLanguage[] = ['curl', 'TypeScript'];

/** What the console is about to ask, as somebody would ask it without a console. */
export function codeOf(
  language: CodeLanguage,
  requests: readonly VideoRequest[],
  baseUrl: string,
): string {
  return writers[language](requests, baseUrl);
}

const writers: Readonly<
  Record<CodeLanguage, (requests: readonly VideoRequest[], baseUrl: string) => string>
> = {
  curl: (requests, baseUrl) =>
    requests
      .map(
        (request) =>
          `curl -sS ${baseUrl}/v1/videos \\
  -H "authorization: Bearer $KEY" \\
  -H 'content-type: application/json' \\
  -d ${shellText(JSON.stringify(request))}`,
      )
      .join('\n\n'),
  TypeScript: (requests, baseUrl) =>
    `import { GatewayClient } from '@gateway/client';

const client = new GatewayClient({ baseUrl: '${baseUrl}', apiKey: process.env.KEY });

const videos = await Promise.all([
${requests.map((request) => indented(`client.videos.createAndWait(${literalOf(request)}),`)).join('\n')}
]);`,
};

const shellText = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const indented = (text: string): string =>
  text
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');

/** JSON as one would write it by hand. */
const literalOf = (value: unknown): string =>
  JSON.stringify(value, undefined, 2).replaceAll(/^(\s*)"([a-z_]+)":/gm, '$1$2:');
