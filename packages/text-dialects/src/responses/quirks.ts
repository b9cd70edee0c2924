import { chatQuirksOf, type ChatQuirksOptions } from '../chat/choose-quirks.ts';
import { camelCase } from '../json.ts';
import type { Effort } from '../neutral.ts';

/** In what an upstream of the responses format differs from the others. Everything is data. */
export interface ResponsesQuirks {
  /**
   * Thoughts come encrypted when asked for, and earlier ones are taken in no other form. Models that
   * do not think refuse the question.
   */
  readonly encryptedReasoning: boolean;
  /** The words `reasoning.effort` takes; none: the model cannot be told. */
  readonly reasoningWords: readonly Effort[];
  /** How much of its thoughts the upstream is asked to show. */
  readonly reasoningSummary: 'auto' | 'concise' | 'detailed' | 'none';
  /** `temperature` and `top_p` are accepted. */
  readonly sampling: boolean;
  /** Least output tokens the upstream takes; smaller bounds are raised. */
  readonly minMaxTokens: number;
  readonly toolNameMax: number;
  readonly structuredOutput: 'json_schema' | 'json_object' | 'none';
  readonly userField: 'user' | 'safety_identifier' | 'none';
  readonly serviceTier: boolean;
  /** The tier that stands for `speed: fast`; empty when there is none. */
  readonly fastServiceTier: string;
}

/** What an unknown upstream is assumed to take. */
const generic = {
  reasoningSummary: 'auto',
  minMaxTokens: 1,
  toolNameMax: 64,
  structuredOutput: 'json_schema',
  userField: 'user',
  serviceTier: false,
  fastServiceTier: '',
} as const;

const openai = { ...generic, minMaxTokens: 16, userField: 'safety_identifier' } as const;

const vendors = {
  generic,
  openai: { ...openai, serviceTier: true, fastServiceTier: 'priority' },
  azure: openai,
  openrouter: generic,
  xai: { ...generic, userField: 'none' },
  vllm: generic,
} as const satisfies Readonly<Record<string, Partial<ResponsesQuirks>>>;

type ResponsesVendor = keyof typeof vendors;
export const responsesVendorNames = Object.keys(vendors) as readonly ResponsesVendor[];

/**
 * The vendor's preset, then what the model's name says, as in chat completions, then the operator's
 * overrides.
 */
export function responsesQuirksOf(options: ChatQuirksOptions): ResponsesQuirks {
  const { vendor, model, overrides = {} } = options;
  const name = responsesVendorNames.find((known) => known === vendor) ?? 'generic';
  const { sampling, reasoningStyle, reasoningWords } = chatQuirksOf({ vendor, model });
  const words = reasoningStyle === 'effort' ? reasoningWords : [];
  const byOperator = Object.fromEntries(
    Object.entries(overrides).map(([key, value]) => [camelCase(key), value]),
  );
  return {
    ...vendors[name],
    sampling,
    reasoningWords: words,
    encryptedReasoning: words.length > 0,
    ...byOperator,
  };
}
