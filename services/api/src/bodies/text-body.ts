import { randomUUID } from 'node:crypto';
import {
  countTokensLocally,
  itemsToKeep,
  estimateByteTokens,
  translateRequest,
  withReferred,
  passToResponses,
  type Referred,
} from '@gateway/text-dialects';
import { judgeJson, type JudgedJson } from './judge.ts';
import { LightBody, type LightBounds } from './light-body.ts';
import { freeMemory, isUsedAgain, largestInlineBytes, leaveMemory } from './memory.ts';
import {
  editedInPieces,
  inspectParsed,
  ownThinkingIn,
  parseObject,
  passingEdits,
  textBounds,
} from './read-text.ts';
import type {
  InspectCommand,
  Inspection,
  ItemsCommand,
  RenderCommand,
  Rendered,
} from './text-commands.ts';

/** Counting more bytes than this would hold other streams up. */
const largestCounted = 1_000_000;

const noBytes = Buffer.alloc(0);

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

/**
 * One request's body and what was read from it. Everything here is pure work on bytes, so that
 * large bodies can do it in another thread.
 */
export class RequestBody {
  /** Empty while a thread works on them. */
  bytes: Buffer;
  readonly #sizeBytes: number;
  #judged: JudgedJson | undefined;
  #light: LightBody | undefined;
  #rendersLightly = true;
  #parsed: Record<string, unknown> | undefined;
  #promptTokens: number | undefined;
  /** Memory of what was rendered. */
  readonly #rendered: Buffer[] = [];

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
    this.#judged ??= judgeJson(this.bytes, textBounds);
    return this.#judged;
  }

  /** Throws invalid_json, or what the contract of the dialect says. */
  inspect(command: InspectCommand): Inspection {
    this.judge();
    return inspectParsed(this.#parse(), command);
  }

  /** The same by an outline; undefined where only the whole can say, what is wrong included. */
  inspectLightly(command: InspectCommand, bounds: LightBounds): Inspection | undefined {
    return this.outline(command, bounds) ? this.inspectOutline(command) : undefined;
  }

  /** The first step of `inspectLightly`: whether it has an outline that can be read. */
  outline(command: InspectCommand, bounds: LightBounds): boolean {
    this.#light = LightBody.of(this.bytes, { command, bounds });
    return this.#light !== undefined;
  }

  /** The second step. */
  inspectOutline(command: InspectCommand): Inspection | undefined {
    const inspection = this.#light?.inspect(command);
    if (inspection === undefined) this.#light = undefined;
    return inspection;
  }

  /** Whether it has an outline of which each step takes milliseconds. */
  get hasManyValues(): boolean {
    return this.#light?.hasManyValues ?? false;
  }

  /** The first step of a `renderLightly` for another dialect, where that is done in two. */
  translateLightly(command: RenderCommand): void {
    this.#light?.translate(command);
  }

  /** By the outline, if that was enough to inspect the body; undefined where the whole is needed. */
  renderLightly(command: RenderCommand): Rendered | undefined {
    if (!this.#rendersLightly) return undefined;
    const rendered = this.#light?.render(command);
    // A thread will have the bytes, which come back as others.
    this.#rendersLightly = rendered !== undefined;
    this.#remember(rendered?.body ?? []);
    return rendered;
  }

  /** Whose memory is given back with the body's own. */
  #remember(pieces: readonly Buffer[]): void {
    for (const piece of pieces) {
      if (piece.buffer !== this.bytes.buffer && isUsedAgain(piece)) this.#rendered.push(piece);
    }
  }

  render(command: RenderCommand): Rendered {
    const { dialect, upstream, addUsage, keepsResponses } = command;
    if (upstream.dialect === dialect) {
      if (dialect === 'responses') return this.#passResponse(command);
      const own = ownThinkingIn(this.bytes, command);
      const edits = passingEdits(own, command, this.#parsed?.['model']);
      const body = editedInPieces(own, edits);
      this.#remember(body);
      return { body, memory: null, usageAdded: addUsage, dropped: [] };
    }
    const asked =
      dialect === 'responses' && !keepsResponses
        ? { ...this.#parse(), store: false }
        : this.#parse();
    const { body, memory, dropped } = translateRequest(dialect, asked, upstream);
    const bytes = Buffer.from(JSON.stringify(body));
    return { body: [bytes], memory, usageAdded: false, dropped };
  }

  #passResponse({ upstream, isExpanded, keepsResponses }: RenderCommand): Rendered {
    const passing = { bytes: this.bytes, body: this.#parse(), isExpanded, keepsResponses };
    const { body, response } = passToResponses(passing, upstream);
    return { body: [body], response, memory: null, usageAdded: false, dropped: [] };
  }

  /** The bytes of the request with all that it refers to. */
  expand(referred: Referred): Buffer {
    return Buffer.from(withReferred(this.#parse(), referred));
  }

  items({ items }: ItemsCommand): ReturnType<typeof itemsToKeep> {
    return itemsToKeep(this.#parse(), items, () => randomUUID().replaceAll('-', '').slice(0, 24));
  }

  count(): number {
    return this.#light?.count() ?? countTokensLocally(this.#parse());
  }

  /**
   * Tokens of the prompt, for the bill of a completion whose upstream reported none. Never on the
   * usual path.
   */
  estimate(): number {
    this.#promptTokens ??= this.#sizeBytes > largestCounted ? this.#countAtMost() : this.count();
    return this.#promptTokens;
  }

  /**
   * Tokens to reserve for the prompt: a body of text alone has no more than its bytes, which need no
   * walk through it.
   */
  tokensToReserve(): number {
    return this.#promptTokens ?? this.#countAtMost();
  }

  #countAtMost(): number {
    // What is parsed tells of pictures in a fifth of the time that a search in its bytes takes.
    const most = this.#light?.mostTokens();
    if (most !== undefined) return most;
    return this.#mustBeCounted() ? this.count() : estimateByteTokens(this.#sizeBytes);
  }

  /** Whether it may ask an upstream to keep its prompt for an hour. */
  mayCacheForAnHour(): boolean {
    return this.#searched.includes('"1h"');
  }

  /**
   * Its bytes say nothing of its tokens: media has many bytes a token, a client's own tokens few. Items
   * of the responses format are objects, and have no more than their bytes.
   */
  #mustBeCounted(): boolean {
    const input = this.#parsed?.['input'];
    return (
      hasMedia(this.#searched) ||
      (Array.isArray(input) && input.some((one) => typeof one === 'number' || Array.isArray(one)))
    );
  }

  /** Gives back its memory and that of what was rendered, of which no socket has any to write. */
  free(): void {
    this.#giveUp().forEach(freeMemory);
  }

  /** The same where a socket may still be writing some of it. */
  leave(): void {
    this.#giveUp().forEach(leaveMemory);
  }

  /** Its memory holds somebody else's body next: nobody may read it here any more. */
  #giveUp(): Buffer[] {
    const all = [this.bytes, ...this.#rendered.splice(0)];
    this.bytes = noBytes;
    this.#light = undefined;
    return all;
  }

  /** What a thread estimated: nobody here parses its body again. */
  noteEstimate(promptTokens: number | undefined): void {
    this.#promptTokens = promptTokens;
  }

  /** What stands inside of long texts is no field. */
  get #searched(): Buffer {
    return this.#light?.bytes ?? this.bytes;
  }

  #parse(): Record<string, unknown> {
    this.#parsed ??= parseObject(this.bytes);
    return this.#parsed;
  }
}
