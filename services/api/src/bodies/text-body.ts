import { randomUUID } from 'node:crypto';
import {
  createTextRequestReader,
  restrictedPartsOf,
  type RestrictedPart,
  type TextRequestHead,
} from '@gateway/contracts';
import { GatewayError } from '@gateway/domain';
import {
  countTokensLocally,
  itemsToKeep,
  mediaAddressesOf,
  estimateByteTokens,
  rewriteRequestBody,
  translateRequest,
  withoutForeignThinking,
  withReferred,
  type Dialect,
  type CompletionMemory,
  type MediaAddress,
  passToResponses,
  type PassedResponse,
  type Referred,
  type Upstream,
} from '@gateway/text-dialects';
import { judgeJson, parseJson, type JsonBounds, type JudgedJson } from './judge.ts';
import { largestInlineBytes } from './memory.ts';

/**
 * Tools' schemas are the deepest part of honest requests, at about twenty levels; 100,000 messages
 * have half a million values.
 */
const bounds: JsonBounds = { maxDepth: 64, maxValues: 1_000_000 };

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
  readonly body: Buffer;
  /** Null on pass-through. */
  readonly memory: CompletionMemory | null;
  /** The upstream was asked for usage that the client did not ask for. */
  readonly usageAdded: boolean;
  readonly dropped: readonly string[];
  /** Pass-through of responses: what the client's response says otherwise than the upstream's. */
  readonly response?: PassedResponse;
}

/** Counting more bytes than this would hold other streams up. */
const largestCounted = 1_000_000;

/** How the type of every block begins that is a picture, a sound or a file. */
const mediaMarks = ['"image', '"document"', '"file', '"input_audio"'];
const mediaMarkBytes = mediaMarks.map((mark) => Buffer.from(mark));

/**
 * One string for all marks: a search in a buffer costs a short body as much as five in a string. A
 * large one is not copied.
 */
function hasMedia(bytes: Buffer): boolean {
  if (bytes.length > largestInlineBytes) return mediaMarkBytes.some((mark) => bytes.includes(mark));
  const text = bytes.toString('latin1');
  for (const mark of mediaMarks) if (text.includes(mark)) return true;
  return false;
}

const reader = createTextRequestReader();

/** Those that do not depend on the dialect. */
const readers: Partial<Record<TextOperation, (body: unknown) => TextRequestHead>> = {
  count_tokens: reader.countTokens,
  embed: reader.embeddings,
};

/**
 * One request's body and what was read from it. Everything here is pure work on bytes, so that
 * large bodies can do it in another thread.
 */
export class RequestBody {
  /** Empty while a thread works on them. */
  bytes: Buffer;
  readonly #sizeBytes: number;
  #judged: JudgedJson | undefined;
  #parsed: Record<string, unknown> | undefined;
  #promptTokens: number | undefined;

  /** Whose turn it takes when a thread works on it. */
  readonly accountId: string;

  constructor(bytes: Buffer, accountId = '') {
    this.bytes = bytes;
    this.accountId = accountId;
    this.#sizeBytes = bytes.length;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** Throws what is wrong with the bytes, before any of them is parsed. */
  judge(): JudgedJson {
    this.#judged ??= judgeJson(this.bytes, bounds);
    return this.#judged;
  }

  /** Throws invalid_json, or what the contract of the dialect says. */
  inspect({ dialect, operation, media }: InspectCommand): Inspection {
    this.judge();
    const parsed = this.#parse();
    const isCount = operation === 'count_tokens';
    const read = readers[operation] ?? reader[dialect];
    return {
      head: read(parsed),
      // Counting costs nothing.
      restricted: isCount ? undefined : restrictedPartsOf(dialect, parsed),
      media: media ? mediaAddressesOf(parsed) : undefined,
    };
  }

  render(command: RenderCommand): Rendered {
    const { dialect, upstream, addUsage, keepsResponses } = command;
    if (upstream.dialect === dialect) {
      if (dialect === 'responses') return this.#passResponse(command);
      const bytes =
        dialect === 'messages' ? withoutForeignThinking(this.bytes, upstream) : this.bytes;
      // The body names its model once, or it would have been refused: when that is the upstream's
      // own name, nothing needs looking for.
      if (!addUsage && this.#parsed?.['model'] === upstream.model) {
        return { body: bytes, memory: null, usageAdded: false, dropped: [] };
      }
      return {
        body: rewriteRequestBody(bytes, {
          model: upstream.model,
          ...(addUsage && { includeUsage: true }),
        }),
        memory: null,
        usageAdded: addUsage,
        dropped: [],
      };
    }
    const asked =
      dialect === 'responses' && !keepsResponses
        ? { ...this.#parse(), store: false }
        : this.#parse();
    const { body, memory, dropped } = translateRequest(dialect, asked, upstream);
    return { body: Buffer.from(JSON.stringify(body)), memory, usageAdded: false, dropped };
  }

  #passResponse({ upstream, isExpanded, keepsResponses }: RenderCommand): Rendered {
    const passing = { bytes: this.bytes, body: this.#parse(), isExpanded, keepsResponses };
    const { body, response } = passToResponses(passing, upstream);
    return { body, response, memory: null, usageAdded: false, dropped: [] };
  }

  /** The bytes of the request with all that it refers to. */
  expand(referred: Referred): Buffer {
    return Buffer.from(withReferred(this.#parse(), referred));
  }

  items({ items }: ItemsCommand): ReturnType<typeof itemsToKeep> {
    return itemsToKeep(this.#parse(), items, () => randomUUID().replaceAll('-', '').slice(0, 24));
  }

  count(): number {
    return countTokensLocally(this.#parse());
  }

  /**
   * Tokens of the prompt, for the bill of a completion whose upstream reported none. Never on the
   * usual path.
   */
  estimate(): number {
    this.#promptTokens ??=
      this.#sizeBytes > largestCounted && !this.#mustBeCounted()
        ? estimateByteTokens(this.#sizeBytes)
        : this.count();
    return this.#promptTokens;
  }

  /**
   * Tokens to reserve for the prompt: a body of text alone has no more than its bytes, which need no
   * walk through it.
   */
  tokensToReserve(): number {
    if (this.#promptTokens !== undefined) return this.#promptTokens;
    return this.#mustBeCounted() ? this.estimate() : estimateByteTokens(this.#sizeBytes);
  }

  /** Whether it may ask an upstream to keep its prompt for an hour. */
  mayCacheForAnHour(): boolean {
    return this.bytes.includes('"1h"');
  }

  /**
   * Its bytes say nothing of its tokens: media has many bytes a token, a client's own tokens few. Items
   * of the responses format are objects, and have no more than their bytes.
   */
  #mustBeCounted(): boolean {
    const input = this.#parsed?.['input'];
    return (
      hasMedia(this.bytes) ||
      (Array.isArray(input) && input.some((one) => typeof one === 'number' || Array.isArray(one)))
    );
  }

  /** What a thread estimated: nobody here parses its body again. */
  noteEstimate(promptTokens: number | undefined): void {
    this.#promptTokens = promptTokens;
  }

  #parse(): Record<string, unknown> {
    this.#parsed ??= parseObject(this.bytes);
    return this.#parsed;
  }
}

function parseObject(bytes: Buffer): Record<string, unknown> {
  const value = parseJson(bytes);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new GatewayError('invalid_json', 'the body must be one JSON object');
  }
  return value as Record<string, unknown>;
}
