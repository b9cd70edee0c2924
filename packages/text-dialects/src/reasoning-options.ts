export type Effort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';

/**
 * Whether and how hard the model is to think. `budgetTokens` where the client gave a number,
 * `effort` where it gave a word.
 */
export interface ReasoningOptions {
  readonly mode: 'off' | 'on' | 'adaptive';
  readonly effort?: Effort;
  readonly budgetTokens?: number;
}

/** The client's fields that asked for reasoning, for the list of what was dropped. */
export interface ReasoningFields {
  /** Said whether to think. */
  readonly mode?: string | undefined;
  /** Said how hard. */
  readonly effort?: string | undefined;
}
