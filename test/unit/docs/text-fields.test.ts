import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { textProviderKinds } from '@gateway/contracts';
import { clientSides } from '../../../packages/text-dialects/src/client-sides.ts';
import { chatFields } from '../../../packages/text-dialects/src/chat/request-fields.ts';
import { messagesFields } from '../../../packages/text-dialects/src/messages/request-fields.ts';
import { responsesFields } from '../../../packages/text-dialects/src/responses/request-fields.ts';
import type { FieldRule, FieldRules } from '../../../packages/text-dialects/src/request-fields.ts';

const page = readFileSync('docs/text.md', 'utf8');

const order = ['refused', 'translated', 'dropped'] as const;

function meaning(rule: FieldRule): string {
  if (rule.fate === 'translated') return rule.as;
  if (rule.fate === 'dropped') return rule.because;
  const except = rule.except === undefined ? '' : `; dropped: ${rule.except.words}`;
  return `${rule.because}; ${rule.remedy}${except}`;
}

/** The table that the translators' rules make. */
const tableOf = (rules: FieldRules): string =>
  [
    '| field | what becomes of it | how, or why |',
    '|---|---|---|',
    ...order.flatMap((fate) =>
      Object.entries(rules)
        .filter(([, rule]) => rule.fate === fate)
        .map(([field, rule]) => `| \`${field}\` | ${fate} | ${meaning(rule)} |`),
    ),
  ].join('\n');

const kept = '[the gateway keeps](#responses-upstreams)';
const passed: Readonly<Record<string, readonly [request: string, response: string]>> = {
  messages: ['passed through', 'passed through'],
  chat: ['passed through', 'passed through'],
  responses: [`passed through, but for what ${kept}`, 'passed through, but for the same'],
};

/** Every client in front of every kind of upstream that a provider may have. */
const pairs = [
  '| client | upstream | requests | completions and streams |',
  '|---|---|---|---|',
  ...Object.keys(clientSides).flatMap((client) =>
    textProviderKinds.map((upstream) => {
      const [request, response] =
        client === upstream
          ? (passed[client] ?? [])
          : [`translated, by the table of ${client}`, 'translated'];
      return `| ${client} | ${upstream} | ${request} | ${response} |`;
    }),
  ),
].join('\n');

describe('docs/text.md', () => {
  it('says what becomes of each client in front of each upstream', () => {
    const [, shown] = /<!-- pairs -->\n\n([^]*?)\n\n<!-- end -->/.exec(page) ?? [];

    expect(shown).toBe(pairs);
  });

  it.each([
    ['messages', messagesFields],
    ['chat', chatFields],
    ['responses', responsesFields],
  ])('lists every field that is translated, refused or dropped: %s', (dialect, rules) => {
    const [, shown] =
      new RegExp(`<!-- fields: ${dialect} -->\n\n([^]*?)\n\n<!-- end -->`).exec(page) ?? [];

    expect(shown).toBe(tableOf(rules));
  });
});
