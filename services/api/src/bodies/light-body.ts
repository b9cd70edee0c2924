import { GatewayError } from '@gateway/domain';
import {
  applyEdits,
  countTokensLocally,
  mostTokensOf,
  translateShortened,
  type Edit,
} from '@gateway/text-dialects';
import { isMany } from './judge.ts';
import { largestInlineBytes } from './memory.ts';
import { Outline } from './outline.ts';
import {
  editedInPieces,
  inspectParsed,
  ownThinkingIn,
  parseObject,
  passingEdits,
  textBounds,
} from './read-text.ts';
import type { InspectCommand, Inspection, RenderCommand, Rendered } from './text-commands.ts';

/** How much an outline may be, for one to be worth while or for the thread that reads it. */
export interface LightBounds {
  readonly leastBytes: number;
  readonly mostBytes: number;
  readonly outlineBytes: number;
  readonly outlineValues: number;
}

/**
 * A body that is large enough has a larger outline: of one with a value for each so many bytes, less
 * work is done than its bytes cost to receive.
 */
const bytesPerValue = 256;
const bytesPerOutlineByte = 16;

/** Where the body arrives: streams wait meanwhile. */
export const inlineBounds: LightBounds = {
  leastBytes: 16_384,
  mostBytes: 8_388_608,
  outlineBytes: largestInlineBytes,
  outlineValues: 10_000,
};
/** In a thread. */
export const threadBounds: LightBounds = {
  ...inlineBounds,
  mostBytes: Infinity,
  outlineBytes: 8_388_608,
  outlineValues: Infinity,
};

type TranslatedRequest = ReturnType<typeof translateShortened>;

interface Translated {
  readonly command: RenderCommand;
  /** Undefined where the whole is needed. */
  readonly request: TranslatedRequest | undefined;
}

/**
 * A large body read by its outline. It only ever agrees with what the whole body would have come to:
 * where that is not sure, and for every refusal, it says nothing, and the whole is read.
 */
export class LightBody {
  readonly #whole: Buffer;
  readonly #outline: Outline;
  /** Nothing until it is inspected. */
  #parsed: Record<string, unknown> = {};
  #translated: Translated | undefined;

  private constructor(whole: Buffer, outline: Outline) {
    this.#whole = whole;
    this.#outline = outline;
  }

  /** Judged and outlined; undefined where only the whole can say, what is wrong included. */
  static of(
    whole: Buffer,
    { command, bounds }: { readonly command: InspectCommand; readonly bounds: LightBounds },
  ): LightBody | undefined {
    const { dialect, operation } = command;
    const { leastBytes, mostBytes, outlineBytes, outlineValues } = bounds;
    // Responses are kept and referred to, item by item.
    if (dialect === 'responses' || operation !== 'create') return undefined;
    if (whole.length < leastBytes || whole.length > mostBytes) return undefined;
    const { maxDepth, maxValues } = textBounds;
    const ofOutline = {
      maxDepth,
      maxValues: Math.min(maxValues, Math.max(outlineValues, whole.length / bytesPerValue)),
      mostBytes: Math.max(outlineBytes, whole.length / bytesPerOutlineByte),
    };
    const outline = unlessRefused(() => Outline.of(whole, ofOutline));
    return outline && new LightBody(whole, outline);
  }

  /** Each step of reading or translating it takes milliseconds. */
  get hasManyValues(): boolean {
    return isMany(this.#outline);
  }

  get bytes(): Buffer {
    return this.#outline.bytes;
  }

  /** Before all that follows; undefined where only the whole can say, what is wrong included. */
  inspect(command: InspectCommand): Inspection | undefined {
    return unlessRefused(() => {
      this.#parsed = parseObject(this.#outline.bytes);
      // Counted by itself, whatever it holds.
      if (this.#parsed['input'] !== undefined) return undefined;
      const inspection = inspectParsed(this.#parsed, command);
      return this.#outline.isCut(inspection) ? undefined : inspection;
    });
  }

  /** Tokens of the prompt. */
  count(): number {
    return countTokensLocally(this.#parsed, (text) => this.#outline.weigh(text));
  }

  /** Tokens that the prompt cannot exceed; undefined where only counting can tell. */
  mostTokens(): number | undefined {
    const weigh = (text: string): number => this.#outline.weigh(text);
    return mostTokensOf(this.#parsed, { sizeBytes: this.#whole.length, weigh });
  }

  render(command: RenderCommand): Rendered | undefined {
    if (command.upstream.dialect === command.dialect) return this.#pass(command);
    if (this.#translated?.command !== command) this.translate(command);
    const request = this.#translated?.request;
    this.#translated = undefined;
    return request && this.#write(request);
  }

  #pass(command: RenderCommand): Rendered | undefined {
    const { bytes } = this.#outline;
    const own = ownThinkingIn(bytes, command);
    const edits = passingEdits(own, command, this.#parsed['model']);
    const body =
      own === bytes ? this.#edited(edits) : this.#outline.restore(applyEdits(own, edits));
    return body && { body, memory: null, usageAdded: command.addUsage, dropped: [] };
  }

  /** With changes to the outline made in the whole. */
  #edited(edits: readonly Edit[]): readonly Buffer[] {
    const outline = this.#outline;
    const inWhole = edits.map(({ start, end, text }) => ({
      start: outline.placeInWhole(start),
      end: outline.placeInWhole(end),
      text,
    }));
    return editedInPieces(this.#whole, inWhole);
  }

  /** The first half of a `render` for another dialect, which goes on from it. */
  translate(command: RenderCommand): void {
    this.#translated = { command, request: unlessRefused(() => this.#translate(command)) };
  }

  #translate({ dialect, upstream }: RenderCommand): TranslatedRequest | undefined {
    const outline = this.#outline;
    const weigh = (text: string): number => outline.weigh(text);
    const written = translateShortened(dialect, { body: this.#parsed, weigh }, upstream);
    return outline.isCut([written.memory, written.dropped]) ? undefined : written;
  }

  #write({ body: fields, memory, dropped }: TranslatedRequest): Rendered | undefined {
    const body = this.#outline.restore(Buffer.from(JSON.stringify(fields)));
    return body && { body, memory, usageAdded: false, dropped };
  }
}

function unlessRefused<T>(read: () => T | undefined): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!GatewayError.is(error)) throw error;
    return undefined;
  }
}
