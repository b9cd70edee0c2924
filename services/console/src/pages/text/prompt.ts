import type { TextDialect } from '@gateway/client';

/** What is asked of a text model. */
export interface Prompt {
  readonly model: string;
  readonly dialect: TextDialect;
  readonly system: string | undefined;
  readonly message: string;
  readonly maxTokens: number;
}

/** As somebody types it. */
export interface Words {
  readonly system: string;
  readonly message: string;
  readonly maxTokens: string;
}

export const promptOf = (
  { system, message, maxTokens }: Words,
  chosen: Pick<Prompt, 'model' | 'dialect'>,
): Prompt => ({
  ...chosen,
  system: system.trim() === '' ? undefined : system,
  message,
  maxTokens: Math.max(1, Number.parseInt(maxTokens, 10) || 1),
});

export const dialects: readonly { readonly name: TextDialect; readonly words: string }[] = [
  { name: 'chat', words: 'Chat completions' },
  { name: 'messages', words: 'Messages' },
];

/** The same request without the console. */
export function curlOf(prompt: Prompt, baseUrl: string): string {
  const { path, headers, body } = shapes[prompt.dialect](prompt);
  return [
    `curl -sSN ${baseUrl}${path} \\`,
    '  -H "authorization: Bearer $KEY" \\',
    ...headers.map((header) => `  -H '${header}' \\`),
    "  -H 'content-type: application/json' \\",
    `  -d '${JSON.stringify(body).replaceAll("'", `'\\''`)}'`,
  ].join('\n');
}

interface Shape {
  readonly path: string;
  readonly headers: readonly string[];
  readonly body: object;
}

const shapes: Readonly<Record<TextDialect, (prompt: Prompt) => Shape>> = {
  chat: ({ model, system, message, maxTokens }) => ({
    path: '/v1/chat/completions',
    headers: [],
    body: {
      model,
      stream: true,
      max_completion_tokens: maxTokens,
      messages: [
        ...(system === undefined ? [] : [{ role: 'system', content: system }]),
        { role: 'user', content: message },
      ],
    },
  }),
  messages: ({ model, system, message, maxTokens }) => ({
    path: '/v1/messages',
    headers: ['anthropic-version: 2023-06-01'],
    body: {
      model,
      stream: true,
      max_tokens: maxTokens,
      ...(system !== undefined && { system }),
      messages: [{ role: 'user', content: message }],
    },
  }),
};
