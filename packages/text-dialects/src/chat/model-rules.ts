import type { Effort } from '../neutral.ts';
import type { ChatQuirks } from './quirks.ts';
import type { ChatVendor } from './vendor-presets.ts';

interface ModelRule {
  readonly vendors: readonly ChatVendor[];
  readonly pattern: RegExp;
  readonly quirks: Partial<ChatQuirks>;
}

/**
 * Where a model of this name is the originator's: at themselves, or behind a proxy that nothing is
 * known of.
 */
const openaiHosts: readonly ChatVendor[] = ['openai', 'azure', 'generic'];

const thinker = (...reasoningWords: Effort[]): Partial<ChatQuirks> => ({
  maxTokensField: 'max_completion_tokens',
  systemRole: 'developer',
  maxStops: 0,
  sampling: false,
  reasoningStyle: 'effort',
  reasoningWords,
});

const noSwitch: Partial<ChatQuirks> = { reasoningStyle: 'none', reasoningDefaultOn: false };
const always: Partial<ChatQuirks> = { ...noSwitch, alwaysThinks: true };
const offByDefault: Partial<ChatQuirks> = { reasoningDefaultOn: false };

/** What a model's name says beyond its vendor's preset. All matching rows apply, later ones win. */
export const chatModelRules: readonly ModelRule[] = [
  {
    vendors: openaiHosts,
    pattern: /^(openai\/)?o[1-9](-|$)/,
    quirks: thinker('low', 'medium', 'high'),
  },
  {
    vendors: openaiHosts,
    pattern: /^(openai\/)?gpt-5(-(?!chat)|$)/,
    quirks: thinker('minimal', 'low', 'medium', 'high'),
  },
  {
    vendors: openaiHosts,
    pattern: /^(openai\/)?gpt-5\.1(-(?!chat)|$)/,
    quirks: thinker('none', 'low', 'medium', 'high'),
  },
  {
    vendors: openaiHosts,
    pattern: /^(openai\/)?gpt-5\.[2-5](-(?!chat)|$)/,
    quirks: thinker('none', 'low', 'medium', 'high', 'xhigh'),
  },
  {
    vendors: openaiHosts,
    pattern: /^(openai\/)?gpt-5\.([6-9]|\d\d)(-(?!chat)|$)/,
    quirks: {
      ...thinker('none', 'low', 'medium', 'high', 'xhigh', 'max'),
      reasoningWithTools: false,
    },
  },
  {
    vendors: openaiHosts,
    pattern: /^(openai\/)?gpt-[6-9]/,
    quirks: thinker('low', 'medium', 'high', 'xhigh', 'max'),
  },
  // Strict schemas came with the second edition of gpt-4o.
  {
    vendors: openaiHosts,
    pattern: /^(openai\/)?(gpt-3\.5|gpt-4(-|$)|gpt-4o-2024-05-13)/,
    quirks: { structuredOutput: 'json_object', toolStrict: false, fileParts: 'none' },
  },
  { vendors: ['deepseek'], pattern: /^deepseek-chat/, quirks: offByDefault },
  { vendors: ['deepseek'], pattern: /^deepseek-reasoner/, quirks: always },
  { vendors: ['qwen'], pattern: /thinking|^qwq/, quirks: always },
  { vendors: ['qwen'], pattern: /^qwen(-|1|2)|instruct|coder/, quirks: offByDefault },
  {
    vendors: ['kimi'],
    pattern: /^(moonshot|kimi-(k2(?!\.)|latest))/,
    quirks: { ...noSwitch, forcedToolChoiceWithThinking: true },
  },
  {
    vendors: ['kimi'],
    pattern: /thinking/,
    quirks: { ...always, forcedToolChoiceWithThinking: false },
  },
  { vendors: ['glm'], pattern: /^glm-(3|4(?!\.[5-9]))/, quirks: noSwitch },
  {
    vendors: ['mistral'],
    pattern: /^mistral-(7b|tiny)|^open-mi/,
    quirks: { structuredOutput: 'json_object' },
  },
  // These cannot be kept from thinking.
  {
    vendors: ['gemini'],
    pattern: /^(models\/)?gemini-(2\.5-pro|[3-9])/,
    quirks: { reasoningWords: ['low', 'medium', 'high'] },
  },
  { vendors: ['gemini'], pattern: /^(models\/)?gemini-(1|2\.0)/, quirks: noSwitch },
  {
    vendors: ['groq'],
    pattern: /gpt-oss/,
    quirks: {
      reasoningStyle: 'effort',
      reasoningWords: ['low', 'medium', 'high'],
      structuredOutput: 'json_schema',
    },
  },
  { vendors: ['xai'], pattern: /^grok-(4|code)/, quirks: { maxStops: 0 } },
  {
    vendors: ['xai'],
    pattern: /^grok-3-mini/,
    quirks: { maxStops: 0, reasoningStyle: 'effort', reasoningWords: ['low', 'high'] },
  },
  {
    vendors: ['vllm', 'sglang', 'llamacpp', 'ollama'],
    pattern: /mistral|mixtral|ministral/i,
    quirks: { mergeSameRole: true, toolIdRule: 'alphanumeric_9' },
  },
];
