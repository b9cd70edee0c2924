import type { Effort } from '../neutral.ts';

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
  /** Most output tokens the model takes; larger bounds are lowered. 0: not known. */
  readonly maxOutputTokens: number;
  readonly toolNameMax: number;
  readonly toolIdMax: number;
  /** Value of the version header towards this upstream. */
  readonly version: string;
}
