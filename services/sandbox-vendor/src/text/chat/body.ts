export type ContentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'refusal'; readonly refusal: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } }
  | {
      readonly type: 'input_audio';
      readonly input_audio: { readonly data: string; readonly format: 'wav' | 'mp3' };
    }
  | {
      readonly type: 'file';
      readonly file: {
        readonly file_data?: string;
        readonly file_id?: string;
        readonly filename?: string;
      };
    };

export type Content = string | readonly ContentPart[] | null;

export interface ToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

export interface AssistantMessage {
  readonly role: 'assistant';
  readonly content?: Content;
  readonly tool_calls?: readonly ToolCall[];
  readonly function_call?: { readonly name: string; readonly arguments: string } | null;
}

export type ChatMessage =
  | { readonly role: 'system' | 'developer' | 'user'; readonly content: Exclude<Content, null> }
  | AssistantMessage
  | {
      readonly role: 'tool';
      readonly content: Exclude<Content, null>;
      readonly tool_call_id: string;
    }
  | { readonly role: 'function'; readonly content: string | null; readonly name: string };

export interface FunctionDefinition {
  readonly name: string;
  readonly description?: string;
  readonly parameters?: object;
  readonly strict?: boolean | null;
}

export type ToolChoice =
  | 'none'
  | 'auto'
  | 'required'
  | { readonly type: 'function'; readonly function: { readonly name: string } }
  | {
      readonly type: 'allowed_tools';
      readonly allowed_tools: {
        readonly mode: 'auto' | 'required';
        readonly tools: readonly { readonly function?: { readonly name?: string } }[];
      };
    };

/** A body of the chat-completions route once its types are known to be right. */
export interface ChatBody {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly max_tokens?: number | null;
  readonly max_completion_tokens?: number | null;
  readonly n?: number | null;
  readonly stop?: string | readonly string[] | null;
  readonly stream?: boolean | null;
  readonly stream_options?: { readonly include_usage?: boolean } | null;
  readonly tools?: readonly { readonly type: 'function'; readonly function: FunctionDefinition }[];
  readonly tool_choice?: ToolChoice;
  readonly parallel_tool_calls?: boolean;
  readonly functions?: readonly FunctionDefinition[];
  readonly function_call?: 'none' | 'auto' | { readonly name: string };
  readonly response_format?:
    | { readonly type: 'text' | 'json_object' }
    | {
        readonly type: 'json_schema';
        readonly json_schema: {
          readonly name: string;
          readonly schema?: object;
          readonly strict?: boolean | null;
        };
      };
  readonly reasoning_effort?: string | null;
}

/** The parts of a message; a string is one text part. */
export const partsOf = (content: Content | undefined): readonly ContentPart[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
