import type { MessagesQuirks } from './quirks.ts';

interface ModelFamily {
  /**
   * Against the upstream's own name with `-` for `.` in its version, and with whatever a cloud puts
   * before and behind it (`us.anthropic.`, `@20250929`, `-v1:0`).
   */
  readonly pattern: RegExp;
  readonly quirks: Partial<MessagesQuirks>;
}

const upToXhigh = ['low', 'medium', 'high', 'xhigh'] as const;
const upToMax = ['low', 'medium', 'high', 'max'] as const;

const newest: Partial<MessagesQuirks> = {
  sampling: 'none',
  thinking: 'adaptive',
  disabledThinking: false,
  efforts: upToXhigh,
  forcedToolChoice: 'never',
  structuredOutput: 'native',
  prefill: false,
  unsignedThinking: false,
  maxOutputTokens: 0,
  defaultMaxTokens: 32_000,
};

/** Thinks by budget, refuses forced tools while it does, and takes `temperature` or `top_p`. */
const budgeted: Partial<MessagesQuirks> = {
  sampling: 'one',
  thinking: 'budget',
  disabledThinking: true,
  efforts: [],
  forcedToolChoice: 'without_thinking',
  prefill: true,
  unsignedThinking: false,
};

const outputLimit = (tokens: number): Partial<MessagesQuirks> => ({
  maxOutputTokens: tokens,
  defaultMaxTokens: tokens,
});

/**
 * What a model's name says, first match wins. From the vendor's documentation, client libraries'
 * catalogues and probes of the live interface; a name that is not listed is taken for the newest,
 * which accepts least.
 */
export const messagesModelFamilies: readonly ModelFamily[] = [
  { pattern: /claude-sonnet-5-5/, quirks: { ...newest, ...outputLimit(128_000) } },
  { pattern: /claude-opus-5-5/, quirks: newest },
  {
    pattern: /claude-haiku-5-5/,
    quirks: {
      ...newest,
      disabledThinking: true,
      efforts: ['low', 'medium', 'high'],
      forcedToolChoice: 'without_thinking',
    },
  },
  { pattern: /claude-(fable|mythos)-5-[12]/, quirks: newest },
  {
    pattern: /claude-((fable|mythos|opus|sonnet)-5|opus-4-[78])(?!\d|-\d{1,2}(?!\d))/,
    quirks: { ...newest, forcedToolChoice: 'without_thinking' },
  },
  {
    pattern: /claude-(opus|sonnet)-4-6(?!\d)/,
    quirks: {
      ...budgeted,
      thinking: 'both',
      efforts: upToMax,
      structuredOutput: 'native',
      prefill: false,
      ...outputLimit(128_000),
    },
  },
  {
    pattern: /claude-(opus|sonnet|haiku)-4-5(?!\d)/,
    quirks: { ...budgeted, structuredOutput: 'native', ...outputLimit(64_000) },
  },
  {
    pattern: /claude-opus-4-1(?!\d)/,
    quirks: { ...budgeted, structuredOutput: 'tool', strictTools: false, ...outputLimit(32_000) },
  },
  {
    pattern: /claude-sonnet-4(?!-\d{1,2}(?!\d))/,
    quirks: {
      ...budgeted,
      sampling: 'all',
      structuredOutput: 'tool',
      strictTools: false,
      ...outputLimit(64_000),
    },
  },
  {
    pattern: /claude-opus-4(?!-\d{1,2}(?!\d))/,
    quirks: {
      ...budgeted,
      sampling: 'all',
      structuredOutput: 'tool',
      strictTools: false,
      ...outputLimit(32_000),
    },
  },
  {
    pattern: /claude-3-7/,
    quirks: {
      ...budgeted,
      sampling: 'all',
      structuredOutput: 'tool',
      strictTools: false,
      ...outputLimit(64_000),
    },
  },
  {
    pattern: /claude-3-5/,
    quirks: {
      ...budgeted,
      sampling: 'all',
      thinking: 'none',
      structuredOutput: 'tool',
      strictTools: false,
      ...outputLimit(8_192),
    },
  },
  {
    pattern: /claude-3-/,
    quirks: {
      ...budgeted,
      sampling: 'all',
      thinking: 'none',
      structuredOutput: 'tool',
      strictTools: false,
      ...outputLimit(4_096),
    },
  },
  { pattern: /claude-/, quirks: newest },
];
