import type { RestrictedPart, TextRequestHead } from '@gateway/contracts';
import type {
  CompletionMemory,
  Dialect,
  MediaAddress,
  PassedResponse,
  Referred,
  Upstream,
} from '@gateway/text-dialects';

/** What a request asks for, read and checked; plain data. */
export interface Inspection {
  readonly head: TextRequestHead;
  /** Tokens of the prompt, where a thread counted them; see `RequestBody.estimate`. */
  readonly promptTokens?: number;
  /** What the pass-through of a provider has to allow. */
  readonly restricted: readonly RestrictedPart[] | undefined;
  /** Looked for when a provider fetches them from inside the operator's network. */
  readonly media: readonly MediaAddress[] | undefined;
}

/** What a request of the text lane asks for. */
export type TextOperation = 'create' | 'count_tokens' | 'embed' | 'unknown';

export interface InspectCommand {
  readonly kind: 'inspect';
  readonly dialect: Dialect;
  readonly operation: TextOperation;
  /** Whether to look for addresses of media. */
  readonly media: boolean;
}

export interface RenderCommand {
  readonly kind: 'render';
  readonly dialect: Dialect;
  readonly upstream: Upstream;
  /** Same dialect, chat: ask for usage although the client did not. */
  readonly addUsage: boolean;
  /** Responses: what the request refers to was put into it. */
  readonly isExpanded: boolean;
  /** Responses: the gateway keeps those that their clients want kept. */
  readonly keepsResponses: boolean;
}

export interface CountCommand {
  readonly kind: 'count';
}

/** Puts what a request of the responses format refers to into its `input`. */
export interface ExpandCommand extends Referred {
  readonly kind: 'expand';
}

/** The items of a request of the responses format, as they are kept. */
export interface ItemsCommand {
  readonly kind: 'items';
  readonly items: Referred['items'];
}

/** A request as one upstream takes it. */
export interface Rendered {
  /** Piece by piece: of a large body that is passed on, what does not change is not copied. */
  readonly body: readonly Buffer[];
  /** Null on pass-through. */
  readonly memory: CompletionMemory | null;
  /** The upstream was asked for usage that the client did not ask for. */
  readonly usageAdded: boolean;
  readonly dropped: readonly string[];
  /** Pass-through of responses: what the client's response says otherwise than the upstream's. */
  readonly response?: PassedResponse;
}
