import type { ChatQuirks } from './quirks.ts';

/** What an unknown upstream is assumed to take: little, so that nothing is refused. */
const generic: ChatQuirks = {
  maxTokensField: 'max_tokens',
  minMaxTokens: 1,
  systemRole: 'system',
  // Templates of open models take a system message at the beginning only.
  midSystem: 'user',
  maxStops: 4,
  sampling: true,
  topK: false,
  parallelToolCalls: true,
  toolChoice: 'all',
  requiredWord: 'required',
  forcedToolChoiceWithThinking: true,
  toolStrict: false,
  streamUsage: true,
  reasoningStyle: 'none',
  reasoningWords: [],
  reasoningDefaultOn: false,
  alwaysThinks: false,
  reasoningWithTools: true,
  thinkingNeedsStream: false,
  historyReasoning: 'drop',
  historyReasoningRequired: false,
  structuredOutput: 'json_schema',
  userField: 'user',
  serviceTier: false,
  fastServiceTier: '',
  toolImages: false,
  fileParts: 'none',
  textParts: true,
  callsOnlyContent: 'null',
  mergeSameRole: false,
  toolNameMax: 64,
  toolIdRule: 'any',
  emptyToolResult: '',
  fillMissingResults: false,
  prefill: 'none',
  cacheControl: false,
  thoughtSignatures: false,
  bufferToolCalls: false,
  thinkTags: false,
  doneWithoutFinish: false,
};

const openai: ChatQuirks = {
  ...generic,
  maxTokensField: 'max_completion_tokens',
  midSystem: 'system',
  serviceTier: true,
  fastServiceTier: 'priority',
  toolStrict: true,
  fileParts: 'data',
  toolIdRule: 'max_40',
};

/** Open models behind a server of one's own: their chat template decides whether they think. */
const selfHosted: ChatQuirks = {
  ...generic,
  topK: true,
  maxStops: 16,
  reasoningStyle: 'vllm',
  historyReasoning: 'reasoning_content',
  prefill: 'continue_final_message',
};

/** Vendors whose models think by a switch, and show their thoughts as `reasoning_content`. */
const switched: ChatQuirks = {
  ...generic,
  reasoningStyle: 'thinking_type',
  reasoningDefaultOn: true,
  historyReasoning: 'reasoning_content',
  forcedToolChoiceWithThinking: false,
  parallelToolCalls: false,
  structuredOutput: 'json_object',
  userField: 'none',
  textParts: false,
};

/**
 * One row for each vendor: facts from the vendors' documentation and from reports of their users.
 */
export const chatVendorPresets = {
  generic,
  openai,
  azure: { ...openai, maxTokensField: 'max_tokens', serviceTier: false, fastServiceTier: '' },
  deepseek: { ...switched, maxStops: 16, prefill: 'prefix', historyReasoningRequired: true },
  qwen: {
    ...switched,
    reasoningStyle: 'qwen',
    topK: true,
    parallelToolCalls: true,
    thinkingNeedsStream: true,
    cacheControl: true,
    textParts: true,
  },
  glm: { ...switched, maxStops: 1, toolChoice: 'auto_only' },
  kimi: {
    ...switched,
    maxStops: 5,
    textParts: true,
    toolIdRule: 'functions_index',
    prefill: 'partial',
    historyReasoningRequired: true,
  },
  minimax: {
    ...switched,
    reasoningStyle: 'none',
    reasoningDefaultOn: false,
    thinkTags: true,
    structuredOutput: 'none',
  },
  mistral: {
    ...generic,
    requiredWord: 'any',
    streamUsage: false,
    userField: 'none',
    toolIdRule: 'alphanumeric_9',
    mergeSameRole: true,
    callsOnlyContent: 'empty',
    prefill: 'prefix',
  },
  gemini: {
    ...generic,
    maxStops: 5,
    parallelToolCalls: false,
    userField: 'none',
    thoughtSignatures: true,
    reasoningStyle: 'effort',
    reasoningWords: ['none', 'low', 'medium', 'high'],
  },
  openrouter: {
    ...generic,
    topK: true,
    cacheControl: true,
    reasoningStyle: 'openrouter',
    historyReasoning: 'reasoning_details',
    fileParts: 'data_or_url',
    toolIdRule: 'max_40',
  },
  groq: { ...generic, maxTokensField: 'max_completion_tokens', structuredOutput: 'json_object' },
  xai: { ...generic, maxTokensField: 'max_completion_tokens' },
  vllm: selfHosted,
  sglang: selfHosted,
  llamacpp: { ...selfHosted, prefill: 'none' },
  ollama: {
    ...generic,
    toolChoice: 'none',
    parallelToolCalls: false,
    userField: 'none',
    reasoningStyle: 'effort',
    reasoningWords: ['none', 'low', 'medium', 'high'],
    reasoningDefaultOn: true,
  },
} as const satisfies Readonly<Record<string, ChatQuirks>>;

export type ChatVendor = keyof typeof chatVendorPresets;
