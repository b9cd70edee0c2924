import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
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

describe('docs/text.md', () => {
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
