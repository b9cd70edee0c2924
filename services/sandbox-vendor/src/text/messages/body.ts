export interface CacheControl {
  readonly type: 'ephemeral';
  readonly ttl?: '5m' | '1h';
}

interface Cacheable {
  readonly cache_control?: CacheControl | null;
}

export type Source =
  | { readonly type: 'base64'; readonly media_type: string; readonly data: string }
  | { readonly type: 'text'; readonly media_type: string; readonly data: string }
  | { readonly type: 'url'; readonly url: string }
  | { readonly type: 'file'; readonly file_id: string }
  | { readonly type: 'content'; readonly content: string | readonly Block[] };

export type TextBlock = Cacheable & { readonly type: 'text'; readonly text: string };
export type MediaBlock = Cacheable & {
  readonly type: 'image' | 'document';
  readonly source: Source;
  readonly title?: string | null;
};
export type ToolUseBlock = Cacheable & {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: object;
};
export type ToolResultBlock = Cacheable & {
  readonly type: 'tool_result';
  readonly tool_use_id: string;
  readonly content?: string | readonly Block[];
  readonly is_error?: boolean;
};
export type ThinkingBlock = {
  readonly type: 'thinking';
  readonly thinking: string;
  readonly signature: string;
};
/** Results and calls of tools that run at the vendor, and the like: taken as they are. */
export type OtherBlock = Cacheable & {
  readonly type: 'redacted_thinking' | 'search_result' | 'server_tool_use' | 'other';
};

export type Block =
  TextBlock | MediaBlock | ToolUseBlock | ToolResultBlock | ThinkingBlock | OtherBlock;

export type Role = 'user' | 'assistant' | 'system';

export interface Message {
  readonly role: Role;
  readonly content: string | readonly Block[];
}

export interface Tool extends Cacheable {
  readonly type?: string | null;
  readonly name: string;
  readonly description?: string;
  readonly input_schema?: object;
}

export type Thinking =
  | {
      readonly type: 'enabled';
      readonly budget_tokens: number;
      readonly display?: 'summarized' | 'omitted' | null;
    }
  | { readonly type: 'adaptive'; readonly display?: 'summarized' | 'omitted' | null }
  | { readonly type: 'disabled' | 'between_tools' };

/** A body of the messages route once its types are known to be right. */
export interface MessagesBody extends Cacheable {
  readonly model: string;
  readonly max_tokens?: number;
  readonly messages: readonly Message[];
  readonly system?: string | readonly TextBlock[];
  readonly stop_sequences?: readonly string[];
  readonly stream?: boolean;
  readonly temperature?: number;
  readonly top_p?: number;
  readonly top_k?: number;
  readonly tools?: readonly Tool[];
  readonly tool_choice?: {
    readonly type: 'auto' | 'any' | 'tool' | 'none';
    readonly name?: string;
    readonly disable_parallel_tool_use?: boolean;
  };
  readonly thinking?: Thinking;
  readonly output_config?: {
    readonly effort?: string | null;
    readonly format?: { readonly type: 'json_schema'; readonly schema: object } | null;
  };
  readonly output_format?: { readonly type: 'json_schema'; readonly schema: object } | null;
}

/** The blocks of a message; a string is one text block. */
export const blocksOf = (content: string | readonly Block[] | undefined): readonly Block[] =>
  typeof content === 'string'
    ? content === ''
      ? []
      : [{ type: 'text', text: content }]
    : (content ?? []);
