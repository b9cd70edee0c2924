import type { MessagesQuirks } from './quirks.ts';

/**
 * What an unknown upstream is assumed to take: the dialect's core, as the open-weight vendors speak
 * it.
 */
const generic: MessagesQuirks = {
  sampling: 'all',
  thinking: 'budget',
  disabledThinking: true,
  efforts: [],
  forcedToolChoice: 'without_thinking',
  structuredOutput: 'tool',
  systemTurns: false,
  prefill: true,
  unsignedThinking: true,
  imageUrls: true,
  strictTools: false,
  cacheControl: true,
  parallelSwitch: true,
  metadata: true,
  serviceTier: false,
  defaultMaxTokens: 4_096,
  maxOutputTokens: 0,
  toolNameMax: 64,
  toolIdMax: 64,
  version: '2023-06-01',
};

const anthropic: MessagesQuirks = {
  ...generic,
  unsignedThinking: false,
  strictTools: true,
  serviceTier: true,
  structuredOutput: 'native',
  toolNameMax: 128,
  toolIdMax: 128,
};

/**
 * One row for each vendor. Model families of Anthropic's own refine the row, wherever they are
 * served.
 */
export const messagesVendorPresets = {
  generic,
  anthropic,
  // The same models behind a cloud: no addresses of pictures, no service tiers.
  bedrock: { ...anthropic, imageUrls: false, serviceTier: false, metadata: false },
  vertex: { ...anthropic, serviceTier: false },
  openrouter: { ...anthropic, serviceTier: false, structuredOutput: 'tool' },
  deepseek: {
    ...generic,
    imageUrls: false,
    cacheControl: false,
    parallelSwitch: false,
    defaultMaxTokens: 8_192,
  },
  glm: {
    ...generic,
    parallelSwitch: false,
    forcedToolChoice: 'never',
    structuredOutput: 'instruction',
    defaultMaxTokens: 16_384,
  },
  kimi: { ...generic, imageUrls: false, parallelSwitch: false, defaultMaxTokens: 16_384 },
  minimax: { ...generic, imageUrls: false, parallelSwitch: false, defaultMaxTokens: 16_384 },
  qwen: { ...generic, parallelSwitch: false, defaultMaxTokens: 8_192 },
} as const satisfies Readonly<Record<string, MessagesQuirks>>;

export type MessagesVendor = keyof typeof messagesVendorPresets;
