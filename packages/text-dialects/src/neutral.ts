import type { CompletionOptions } from './completion-options.ts';
import type { ReasoningFields, ReasoningOptions } from './reasoning-options.ts';
import type { Source } from './source.ts';

export type { CompletionOptions } from './completion-options.ts';
export type { Effort, ReasoningFields, ReasoningOptions } from './reasoning-options.ts';
export type { Source } from './source.ts';

/**
 * What all dialects can say, in words of none. Readers make it, writers take it; both sides are
 * pure.
 */

/** What clients and upstreams speak. */
export type Dialect = 'messages' | 'chat' | 'responses';

/** Passed along untouched to an upstream that knows it, dropped for others. */
export interface CacheControl {
  readonly type: string;
  readonly ttl?: string;
}

export interface TextPart {
  readonly type: 'text';
  readonly text: string;
  /** Of a completion: the model's own words where it refused, in a field of their own. */
  readonly isRefusal?: true;
  /** Of a completion; their places count from the beginning of this text. */
  readonly sources?: readonly Source[];
  readonly cacheControl?: CacheControl;
}

export type MediaSource =
  | { readonly kind: 'base64'; readonly mediaType: string; readonly data: string }
  | { readonly kind: 'url'; readonly url: string };

export interface ImagePart {
  readonly type: 'image';
  readonly source: MediaSource;
  readonly detail?: string;
  readonly cacheControl?: CacheControl;
}

/** A PDF, or a plain text (kind `text`) that has a title of its own. */
export interface DocumentPart {
  readonly type: 'document';
  readonly source: MediaSource | { readonly kind: 'text'; readonly text: string };
  readonly title?: string;
  readonly context?: string;
  readonly cacheControl?: CacheControl;
}

/**
 * Thoughts of the model. `signature` is the vendor's opaque proof; `redacted` holds encrypted
 * thoughts in place of a text.
 */
export interface ReasoningPart {
  readonly type: 'reasoning';
  readonly text: string;
  readonly signature?: string;
  readonly redacted?: string;
}

/**
 * `argumentsText` is JSON as the model wrote it, kept as text from end to end; empty means no
 * arguments.
 */
export interface ToolCallPart {
  readonly type: 'tool_call';
  readonly id: string;
  readonly name: string;
  readonly argumentsText: string;
  readonly cacheControl?: CacheControl;
}

export interface ToolResultPart {
  readonly type: 'tool_result';
  readonly callId: string;
  readonly content: readonly (TextPart | ImagePart | DocumentPart)[];
  readonly isError: boolean;
  readonly cacheControl?: CacheControl;
}

export type Part =
  TextPart | ImagePart | DocumentPart | ReasoningPart | ToolCallPart | ToolResultPart;

/**
 * Tool results stand in user turns, before anything else. A `system` turn is an instruction in the
 * middle of the conversation.
 */
export interface Turn {
  readonly role: 'user' | 'assistant' | 'system';
  readonly parts: readonly Part[];
}

export interface Tool {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of the arguments: always an object schema. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly strict?: boolean;
  readonly cacheControl?: CacheControl;
}

export type ToolChoice =
  | { readonly type: 'auto' | 'none' | 'required' }
  | { readonly type: 'tool'; readonly name: string };

export type CompletionFormat =
  | { readonly type: 'json_object' }
  | {
      readonly type: 'json_schema';
      readonly name: string;
      readonly schema: Readonly<Record<string, unknown>>;
      readonly description?: string;
      readonly strict?: boolean;
    };

/** What is undefined the client left to the upstream. */
export interface TextRequest {
  /** The client's name of the model. */
  readonly model: string;
  readonly stream: boolean;
  /** Instructions before the conversation, one part for each block or message. */
  readonly system: readonly TextPart[];
  readonly turns: readonly Turn[];
  readonly tools: readonly Tool[];
  readonly toolChoice?: ToolChoice | undefined;
  readonly parallelToolCalls?: boolean | undefined;
  readonly maxTokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly topK?: number | undefined;
  readonly stop: readonly string[];
  readonly reasoning?: ReasoningOptions | undefined;
  readonly reasoningFields?: ReasoningFields | undefined;
  readonly format?: CompletionFormat | undefined;
  /** Opaque id of the end user, as the client sent it. */
  readonly user?: string | undefined;
  readonly serviceTier?: string | undefined;
  /** What only the client's own dialect can show in the completion. */
  readonly completion: CompletionOptions;
}

export type FinishReason =
  'stop' | 'length' | 'tool_calls' | 'stop_sequence' | 'refusal' | 'context_window' | 'pause';

export interface Finish {
  readonly reason: FinishReason;
  /** The matched stop sequence, when known. */
  readonly stopSequence?: string;
  /** Vendor's words about a refusal. */
  readonly explanation?: string;
}

/**
 * Tokens. `inputTokens` excludes what was read from and written to a cache; `outputTokens` includes
 * `reasoningTokens`.
 */
export interface Usage {
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteTokens: number;
  /** Of `cacheWriteTokens`, those written for an hour. */
  readonly cacheWrite1hTokens?: number | undefined;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  /** Uses of tools that the vendor runs, by name; undefined where it reported none. */
  readonly serverToolUses?: Readonly<Record<string, number>> | undefined;
  /** As the vendor named it. */
  readonly serviceTier?: string | undefined;
  /** True when the upstream reported nothing and the figures are ours. */
  readonly estimated: boolean;
}

export interface Completion {
  readonly id: string;
  readonly parts: readonly (TextPart | ReasoningPart | ToolCallPart)[];
  readonly finish: Finish;
  readonly usage: Usage;
}

/** A failure of the upstream, in terms that all dialects can say. */
export interface UpstreamFailure {
  readonly status: number;
  readonly code: UpstreamFailureCode;
  readonly message: string;
  readonly param?: string;
  readonly retryAfterSeconds?: number;
}

export type UpstreamFailureCode =
  | 'invalid_request'
  | 'context_length_exceeded'
  | 'content_filter'
  | 'authentication'
  | 'insufficient_quota'
  | 'permission'
  | 'not_found'
  | 'payload_too_large'
  | 'rate_limited'
  | 'overloaded'
  | 'timeout'
  | 'server_error'
  | 'truncated';

/**
 * One thing that happened in a streamed completion. Tool calls are told one after another, never
 * interleaved.
 */
export type TextEvent =
  | { readonly type: 'start'; readonly id: string; readonly usage?: Usage }
  | { readonly type: 'text'; readonly text: string; readonly isRefusal?: true }
  /** Its place counts from the beginning of all text. */
  | { readonly type: 'source'; readonly source: Source }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'reasoning_signature'; readonly signature: string }
  | { readonly type: 'reasoning_redacted'; readonly data: string }
  | { readonly type: 'tool_start'; readonly id: string; readonly name: string }
  | { readonly type: 'tool_arguments'; readonly text: string }
  | { readonly type: 'tool_end' }
  | { readonly type: 'usage'; readonly usage: Usage }
  | { readonly type: 'finish'; readonly finish: Finish }
  | { readonly type: 'failure'; readonly failure: UpstreamFailure }
  /** The upstream ended properly; nothing follows. A stream that ends without it was cut. */
  | { readonly type: 'end' };

/** One event of a text/event-stream: its `event:` line, if any, and its `data:` lines joined. */
export interface SseEvent {
  readonly event: string | undefined;
  readonly data: string;
}

/**
 * Reads one dialect's stream. `end` is called once when the upstream closed, and says what that
 * means.
 */
export interface StreamReader {
  push(event: SseEvent): readonly TextEvent[];
  end(): readonly TextEvent[];
}

/**
 * Writes one dialect's stream: the bytes, as text, that tell one event; empty when there is nothing
 * to tell yet.
 */
export interface StreamWriter {
  write(event: TextEvent): string;
}

/**
 * What a translation must remember of its request. Plain data: it crosses to a worker
 * thread and back.
 */
export interface CompletionMemory {
  readonly stream: boolean;
  /** Names that had to be changed for the upstream, back to the client's. */
  readonly toolNames: Readonly<Record<string, string>>;
  /** Stop sequences that the upstream did not take; the gateway cuts the completion itself. */
  readonly emulatedStops: readonly string[];
  /** All stop sequences of the request, to recognise a reported match. */
  readonly stops: readonly string[];
  /** The client wants one tool call at most and the upstream cannot be told. */
  readonly singleToolCall: boolean;
  /**
   * The upstream was made to respond through this tool; its arguments are the completion's text.
   */
  readonly structuredTool: string | null;
  /** The schema was wrapped as `{value: …}` for the upstream. */
  readonly unwrapValue: boolean;
  /** The completion is JSON by instruction only: a code fence around it is to be taken off. */
  readonly jsonText?: boolean;
  readonly completion: CompletionOptions;
  /** Estimated tokens of the prompt, for meters that look before the upstream reports. */
  readonly inputEstimate: number;
  /** A prefilled beginning of the completion that some upstreams repeat, to be taken off. */
  readonly prefill: string;
  /** The upstream puts its thoughts at the start of the text, between `<think>` and `</think>`. */
  readonly thinkTags?: boolean;
}

/** How the client is to see the completion. */
export interface CompletionIdentity {
  /** The client's own name of the model. */
  readonly model: string;
  /** Unix time in seconds. */
  readonly created: number;
  /** The same at the moment, where a completion tells when it was complete. */
  readonly now?: () => number;
  /** A new random suffix of 24 letters and digits, for ids that the upstream did not give. */
  readonly newSuffix: () => string;
}
