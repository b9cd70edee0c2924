import { lookUp } from '../json.ts';
import type { Effort } from '../neutral.ts';
import { messagesModelFamilies } from './model-families.ts';

/**
 * In what a messages upstream differs from the others. Everything is data: a new vendor is a new
 * row, and so is a new family of models.
 */
export interface MessagesQuirks {
  /** `temperature`, `top_p` and `top_k`: `one` takes `temperature` or `top_p`, not both. */
  readonly sampling: 'all' | 'one' | 'none';
  /** `budget` takes `{type:"enabled",budget_tokens}`, `adaptive` takes `{type:"adaptive"}`. */
  readonly thinking: 'none' | 'budget' | 'adaptive' | 'both';
  /** `{type:"disabled"}` is accepted; else thinking is switched off by leaving the field out. */
  readonly disabledThinking: boolean;
  /** Words that `output_config.effort` takes; none: the field is not known. */
  readonly efforts: readonly Effort[];
  /** When the model may be made to call a tool. */
  readonly forcedToolChoice: 'always' | 'without_thinking' | 'never';
  readonly structuredOutput: 'native' | 'tool' | 'instruction';
  /** The role `system` is accepted in the middle of the conversation. */
  readonly systemTurns: boolean;
  /** A conversation may end with the assistant's words, which the model then goes on from. */
  readonly prefill: boolean;
  /** Thoughts without a signature are accepted in the history. */
  readonly unsignedThinking: boolean;
  readonly imageUrls: boolean;
  /** `strict` is accepted on tools. */
  readonly strictTools: boolean;
  readonly cacheControl: boolean;
  /**
   * `tool_choice.disable_parallel_tool_use` is accepted; else the gateway keeps the first call
   * only.
   */
  readonly parallelSwitch: boolean;
  readonly metadata: boolean;
  readonly serviceTier: boolean;
  /**
   * Sent as `max_tokens`, which the dialect insists on, when neither the client nor the
   * configuration says a number.
   */
  readonly defaultMaxTokens: number;
  /** Most output tokens the model takes; larger wishes are lowered. 0: not known. */
  readonly maxOutputTokens: number;
  readonly toolNameMax: number;
  readonly toolIdMax: number;
  /** Value of the version header towards this upstream. */
  readonly version: string;
}

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

export const messagesVendorNames = Object.keys(messagesVendorPresets) as readonly MessagesVendor[];

export interface MessagesQuirksWish {
  /** One of `messagesVendorNames`; any other name means `generic`. */
  readonly vendor?: string | undefined;
  /** The upstream's own name of the model. */
  readonly model: string;
  /**
   * An operator's word, as it stands in the configuration: the fields of `MessagesQuirks` in
   * snake_case.
   */
  readonly overrides?: Readonly<Record<string, unknown>> | undefined;
}

/** The vendor's preset, then what is known of the model's family, then the operator's word. */
export function messagesQuirksOf({
  vendor = 'generic',
  model,
  overrides = {},
}: MessagesQuirksWish): MessagesQuirks {
  const preset: MessagesQuirks = lookUp<MessagesQuirks>(messagesVendorPresets, vendor) ?? generic;
  const name = model.replace(/(\d)\.(?=\d)/g, '$1-');
  const family = messagesModelFamilies.find(({ pattern }) => pattern.test(name))?.quirks ?? {};
  // What the vendor cannot do, no model of theirs can.
  const structured =
    family.structuredOutput === 'native' ? { structuredOutput: preset.structuredOutput } : {};
  const byOperator = Object.fromEntries(
    Object.entries(overrides).map(([key, value]) => [camelCase(key), value]),
  );
  return Object.assign({}, preset, family, structured, byOperator) as MessagesQuirks;
}

const camelCase = (key: string): string =>
  key.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
