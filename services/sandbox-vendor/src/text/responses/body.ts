export type ContentPart =
  | { readonly type: 'input_text' | 'output_text'; readonly text: string }
  | { readonly type: 'refusal'; readonly refusal: string }
  | { readonly type: 'input_image'; readonly image_url?: string | null }
  | {
      readonly type: 'input_file';
      readonly file_data?: string | null;
      readonly file_url?: string | null;
    };

export type Content = string | readonly ContentPart[];

export interface MessageItem {
  readonly type?: 'message';
  readonly role: 'user' | 'assistant' | 'system' | 'developer';
  readonly content: Content;
}

export interface ReasoningItem {
  readonly type: 'reasoning';
  readonly id?: string;
  readonly summary: readonly { readonly text: string }[];
  readonly encrypted_content?: string | null;
}

export interface CallItem {
  readonly type: 'function_call';
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
}

export interface CustomCallItem {
  readonly type: 'custom_tool_call';
  readonly call_id: string;
  readonly name: string;
  readonly input: string;
}

export interface ResultItem {
  readonly type: 'function_call_output' | 'custom_tool_call_output';
  readonly call_id: string;
  readonly output: Content;
}

export type Item =
  | MessageItem
  | ReasoningItem
  | CallItem
  | CustomCallItem
  | ResultItem
  | { readonly type: 'item_reference'; readonly id: string };

export interface FunctionTool {
  readonly type: 'function';
  readonly name: string;
  readonly parameters?: object | null;
  readonly strict?: boolean | null;
}

type OwnTool = FunctionTool | { readonly type: 'custom'; readonly name: string };

export type Tool =
  | OwnTool
  | { readonly type: 'namespace'; readonly name: string; readonly tools: readonly OwnTool[] };

/** A tool that can be called, by the name that the model knows it by. */
export interface CallableTool {
  readonly modelName: string;
  readonly namespace?: string;
  readonly tool: OwnTool;
}

/** A body of the responses route once its types are known to be right. */
export interface ResponsesBody {
  readonly model: string;
  readonly input: string | readonly Item[];
  readonly instructions?: string | null;
  readonly previous_response_id?: string | null;
  readonly include?: readonly string[] | null;
  readonly max_output_tokens?: number | null;
  readonly metadata?: Readonly<Record<string, string>> | null;
  readonly parallel_tool_calls?: boolean | null;
  readonly reasoning?: { readonly effort?: string | null } | null;
  readonly store?: boolean | null;
  readonly stream?: boolean | null;
  readonly temperature?: number | null;
  readonly text?: {
    readonly format?:
      | { readonly type: 'text' | 'json_object' }
      | { readonly type: 'json_schema'; readonly schema: object; readonly strict?: boolean | null };
  } | null;
  readonly tool_choice?:
    | 'none'
    | 'auto'
    | 'required'
    | { readonly type: 'function' | 'custom'; readonly name: string }
    | { readonly type: 'allowed_tools' };
  readonly tools?: readonly Tool[] | null;
  readonly top_p?: number | null;
}

/** Each tool of a namespace by both their names: `crm__find`. */
export const toolsOf = ({ tools }: ResponsesBody): readonly CallableTool[] =>
  (tools ?? []).flatMap((tool): CallableTool | CallableTool[] =>
    tool.type === 'namespace'
      ? tool.tools.map((each) => ({
          modelName: `${tool.name}__${each.name}`,
          namespace: tool.name,
          tool: each,
        }))
      : { modelName: tool.name, tool },
  );

/** The parts of a content; a string is one text. */
export const partsOf = (content: Content): readonly ContentPart[] =>
  typeof content === 'string' ? [{ type: 'input_text', text: content }] : content;

export const textOf = (content: Content): string =>
  partsOf(content)
    .map((part) => ('text' in part ? part.text : ''))
    .filter((text) => text !== '')
    .join('\n');

export const itemsOf = ({ input }: ResponsesBody): readonly Item[] =>
  typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : input;
