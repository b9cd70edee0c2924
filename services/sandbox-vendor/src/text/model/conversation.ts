/**
 * A piece of the prompt, in the order in which a prompt cache sees them: tools, system, messages.
 */
export interface Segment {
  /** What must be equal for a prefix to be the same. */
  readonly identity: string;
  readonly characters: number;
  /** Set where the client wants the prompt up to here to be cached. */
  readonly cacheTtlMs?: number;
}

/** An image or a document that was sent along. */
export interface Attachment {
  readonly kind: 'image' | 'document' | 'audio';
  readonly mediaType?: string;
  readonly sizeBytes?: number;
  readonly url?: string;
}

export interface ToolDefinition {
  readonly name: string;
  readonly schema: unknown;
}

export type ToolChoice =
  { readonly kind: 'auto' | 'none' | 'any' } | { readonly kind: 'named'; readonly name: string };

/** What the scripted model gets to read, whichever dialect it came in. */
export interface Conversation {
  readonly model: string;
  readonly stream: boolean;
  readonly segments: readonly Segment[];
  readonly system: string;
  /** The last text of a user, also when tool results came after it. */
  readonly lastUserText: string;
  /** What came after the last completion of the model. */
  readonly lastTurn: { readonly hasText: boolean; readonly toolResults: readonly ToolResult[] };
  readonly attachments: readonly Attachment[];
  readonly tools: readonly ToolDefinition[];
  readonly toolChoice: ToolChoice;
  readonly parallelCalls: boolean;
  readonly maxTokens?: number;
  readonly stopSequences: readonly string[];
  readonly thinking: 'off' | 'shown' | 'omitted';
  /** The completion has to be JSON, of this schema when there is one. */
  readonly format?: { readonly schema?: unknown };
}

export interface ToolResult {
  readonly tool: string;
  readonly text: string;
  readonly isError: boolean;
}

/**
 * The characters that an image or a document counts, whatever its size: 1,600 tokens, the upper end
 * for an image.
 */
export const attachmentCharacters = 6_400;
