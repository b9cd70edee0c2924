import { GatewayError } from '@gateway/domain';
import {
  applyEdits,
  countTokensLocally,
  mostTokensOf,
  translateShortened,
  type Edit,
} from '@gateway/text-dialects';
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

/**
 * A large body read by its outline. It only ever agrees with what the whole body would have come to:
 * where that is not sure, and for every refusal, it says nothing, and the whole is read.
 */
export class LightBody {
  readonly #whole: Buffer;
  readonly #outline: Outline;
  readonly #parsed: Record<string, unknown>;

  private constructor(whole: Buffer, outline: Outline) {
    this.#whole = whole;
    this.#outline = outline;
    this.#parsed = parseObject(outline.bytes);
  }

  static read(
    whole: Buffer,
    { command, bounds }: { readonly command: InspectCommand; readonly bounds: LightBounds },
  ): { readonly light: LightBody; readonly inspection: Inspection } | undefined {
    const { dialect, operation } = command;
    const { leastBytes, mostBytes, outlineBytes, outlineValues } = bounds;
    // Responses are kept and referred to, item by item.
    if (dialect === 'responses' || operation !== 'create') return undefined;
    if (whole.length < leastBytes || whole.length > mostBytes) return undefined;
    const { maxDepth, maxValues } = textBounds;
    const ofOutline = {
      maxDepth,
      maxValues: Math.min(maxValues, outlineValues),
      mostBytes: outlineBytes,
    };
    return unlessRefused(() => {
      const outline = Outline.of(whole, ofOutline);
      if (outline === undefined) return undefined;
      const light = new LightBody(whole, outline);
      const inspection = light.#inspect(command);
      return inspection && { light, inspection };
    });
  }

  get bytes(): Buffer {
    return this.#outline.bytes;
  }

  #inspect(command: InspectCommand): Inspection | undefined {
    // Counted by itself, whatever it holds.
    if (this.#parsed['input'] !== undefined) return undefined;
    const inspection = inspectParsed(this.#parsed, command);
    return this.#outline.isCut(inspection) ? undefined : inspection;
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
    return command.upstream.dialect === command.dialect
      ? this.#pass(command)
      : unlessRefused(() => this.#translate(command));
  }

  #pass(command: RenderCommand): Rendered | undefined {
    const { bytes } = this.#outline;
    const own = ownThinkingIn(bytes, command);
    const edits = passingEdits(own, command, this.#parsed['model']);
    const body = own === bytes ? this.#edited(edits) : this.#restored(applyEdits(own, edits));
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

  #restored(made: Buffer): readonly Buffer[] | undefined {
    const whole = this.#outline.restore(made);
    return whole && [whole];
  }

  #translate({ dialect, upstream }: RenderCommand): Rendered | undefined {
    const outline = this.#outline;
    const weigh = (text: string): number => outline.weigh(text);
    const written = translateShortened(dialect, { body: this.#parsed, weigh }, upstream);
    const { memory, dropped } = written;
    if (outline.isCut([memory, dropped])) return undefined;
    const body = this.#restored(Buffer.from(JSON.stringify(written.body)));
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
