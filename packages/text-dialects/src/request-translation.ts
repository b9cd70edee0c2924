import type { CompletionMemory, TextRequest } from './neutral.ts';

/** Where a translated request goes. */
export interface UpstreamTarget<Quirks> {
  /** The upstream's own name of the model. */
  readonly model: string;
  /** Most tokens the model can put out, when configured. */
  readonly maxOutputTokens?: number | undefined;
  readonly quirks: Quirks;
}

export interface ReadRequest {
  readonly request: TextRequest;
  /** Top-level fields of the client's body that the other dialect cannot say. */
  readonly dropped: readonly string[];
}

export interface WrittenRequest {
  /** To be written as JSON, which leaves out what is undefined. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly memory: Omit<CompletionMemory, 'inputEstimate'>;
  /** Fields of the client's request that this upstream cannot be told, by the client's names. */
  readonly dropped: readonly string[];
}

/** Wherever it goes, its prompt is estimated once. */
export interface TranslatedRequest extends WrittenRequest {
  readonly memory: CompletionMemory;
}
