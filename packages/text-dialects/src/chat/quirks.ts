import type { Effort } from '../neutral.ts';

/**
 * In what a chat upstream differs from the others. Everything is data: a new vendor is a new row of
 * `chatVendorPresets`.
 */
export interface ChatQuirks {
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens';
  /** Least output tokens the upstream takes; smaller bounds are raised. */
  readonly minMaxTokens: number;
  readonly systemRole: 'system' | 'developer';
  /**
   * How an instruction in the middle of the conversation is sent; `user` wraps it in a marked user
   * message.
   */
  readonly midSystem: 'system' | 'user';
  /** Most stop sequences; the gateway cuts the completion at the others itself. */
  readonly maxStops: number;
  /** `temperature` and `top_p` are accepted. */
  readonly sampling: boolean;
  readonly topK: boolean;
  readonly parallelToolCalls: boolean;
  readonly toolChoice: 'all' | 'auto_only' | 'none';
  readonly requiredWord: 'required' | 'any';
  readonly forcedToolChoiceWithThinking: boolean;
  readonly toolStrict: boolean;
  /** `stream_options.include_usage` is accepted. */
  readonly streamUsage: boolean;
  readonly reasoningStyle: 'none' | 'effort' | 'thinking_type' | 'qwen' | 'openrouter' | 'vllm';
  /** The words `reasoning_effort` takes. */
  readonly reasoningWords: readonly Effort[];
  /** The model thinks unless told not to, and can be told. */
  readonly reasoningDefaultOn: boolean;
  /** The model thinks whatever it is told. */
  readonly alwaysThinks: boolean;
  readonly reasoningWithTools: boolean;
  readonly thinkingNeedsStream: boolean;
  /** The field in which earlier thoughts go back to the upstream. */
  readonly historyReasoning: 'drop' | 'reasoning_content' | 'reasoning' | 'reasoning_details';
  /**
   * While the model thinks, each earlier turn of it must come with thoughts; where there are none, a
   * placeholder is sent.
   */
  readonly historyReasoningRequired: boolean;
  readonly structuredOutput: 'json_schema' | 'json_object' | 'none';
  readonly userField: 'user' | 'safety_identifier' | 'none';
  readonly serviceTier: boolean;
  /** The tier that stands for `speed: fast`; empty when there is none. */
  readonly fastServiceTier: string;
  /** Images may stand inside tool messages. */
  readonly toolImages: boolean;
  /** What is `none` or has no such form is told in words: files stay in the history. */
  readonly fileParts: 'none' | 'data' | 'data_or_url';
  /** Several texts may stand in one message as parts; else they are joined by line breaks. */
  readonly textParts: boolean;
  /** `content` of an assistant message that has tool calls only. */
  readonly callsOnlyContent: 'null' | 'empty' | 'absent';
  readonly mergeSameRole: boolean;
  readonly toolNameMax: number;
  readonly toolIdRule: 'any' | 'max_40' | 'alphanumeric_9' | 'functions_index';
  /** Sent as the result of a tool that returned nothing. */
  readonly emptyToolResult: string;
  /** A call without a result gets "(no result)"; else the upstream may refuse it. */
  readonly fillMissingResults: boolean;
  readonly prefill: 'none' | 'prefix' | 'partial' | 'continue_final_message';
  readonly cacheControl: boolean;
  /** Calls carry a `thought_signature` that has to come back. */
  readonly thoughtSignatures: boolean;
  /** Arguments arrive damaged at times: a call is told only when it is whole, repaired. */
  readonly bufferToolCalls: boolean;
  /** Thoughts stand at the start of the text, between `<think>` and `</think>`. */
  readonly thinkTags: boolean;
  /** `[DONE]` without a finish reason is a proper end. */
  readonly doneWithoutFinish: boolean;
}
