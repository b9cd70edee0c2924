import { isFields, parseJson, type Fields } from '../json.ts';
import type { Dialect, Usage } from '../neutral.ts';
import { fieldsOf } from './usage-extras.ts';
import {
  chatUsageIn,
  isFinishedResponse,
  mergedUsage,
  noUsage,
  responseUsageIn,
  usageOf,
} from './usage.ts';

/**
 * What the gateway must know of a stream that it passes along, found by looking for marks: only
 * lines that hold one are parsed. The text is bytes read as latin1, whole lines at a time; keys and
 * figures are ASCII, so nothing is lost.
 */
export interface StreamScan {
  scan(lines: string): void;
  usage(): Usage | null;
  readonly finished: boolean;
  readonly ended: boolean;
  readonly failed: boolean;
  /** UTF-8 bytes of the texts so far. */
  readonly outputBytes: number;
  /** Responses: the beginning of a line that is too long to be looked at. */
  scanBeginning?(line: string): void;
  /** Responses: where the stream stands, for the events of a failure. */
  readonly place?: ResponsePlace | undefined;
}

export interface ResponsePlace {
  /** Of the next event. */
  readonly sequence: number;
  /** As it was created; undefined before that, and for a large one. */
  readonly response: Fields | undefined;
}

export const createStreamScan = (dialect: Dialect): StreamScan => scans[dialect]();

/**
 * Inside a JSON string a quote is escaped, so a mark with quotes is a key or a whole value, never a
 * part of the model's text. Searched for by expressions, which V8 compiles: `includes` takes three
 * times as long, and a call for each chunk that holds the mark.
 */
const chatTexts = /(?:content|reasoning|arguments)": *"/g;
const messagesTexts = /(?:text|thinking|partial_json)": *"/g;
const responsesTexts = /"delta": *"/g;

class ChatScan implements StreamScan {
  #usage: Usage | null = null;
  finished = false;
  ended = false;
  failed = false;
  outputBytes = 0;

  scan(lines: string): void {
    this.ended ||= hasDoneLine(lines);
    this.finished ||= this.ended || hasFinishReason(lines);
    this.#usage = lastChatUsage(lines) ?? this.#usage;
    this.failed ||= someLine(lines, '"error"', isChatError);
    this.outputBytes += countTexts(lines, chatTexts);
  }

  usage(): Usage | null {
    return this.#usage;
  }
}

class MessagesScan implements StreamScan {
  #reported = noUsage;
  finished = false;
  failed = false;
  outputBytes = 0;

  scan(lines: string): void {
    someLine(lines, '"usage"', (data) => this.#merge(data));
    this.finished ||= someLine(lines, '"message_stop"', ({ type }) => type === 'message_stop');
    this.failed ||= someLine(lines, '"error"', isMessagesError);
    this.outputBytes += countTexts(lines, messagesTexts);
  }

  get ended(): boolean {
    return this.finished;
  }

  usage(): Usage | null {
    return usageOf('messages', this.#reported);
  }

  /** False: the search goes on. */
  #merge(data: Fields): boolean {
    this.#reported = mergedUsage(
      this.#reported,
      data['type'] === 'message_start' ? fieldsOf(data['message'])['usage'] : data['usage'],
    );
    return false;
  }
}

/** A response that repeats longer instructions than this is not remembered for a failure. */
const longestRemembered = 65_536;

class ResponsesScan implements StreamScan {
  #usage: Usage | null = null;
  #created: string | undefined;
  #sequence = -1;
  finished = false;
  ended = false;
  failed = false;
  outputBytes = 0;

  scan(lines: string): void {
    if (/"type": *"(?:response\.(?:completed|incomplete|failed)|error)"/.test(lines)) {
      someLine(lines, '"type"', (data) => this.#end(data));
    }
    this.#created ??= lineOf(lines, '"response.created"');
    this.#sequence = lastSequence(lines) ?? this.#sequence;
    this.outputBytes += countTexts(lines, responsesTexts);
  }

  /** A whole response is known by its first words, and its usage is not. */
  scanBeginning(line: string): void {
    const [, type] = /^data: *\{"type": *"(response\.[a-z]+)"/.exec(line) ?? [];
    this.#end({ type });
  }

  usage(): Usage | null {
    return this.#usage;
  }

  get place(): ResponsePlace {
    const text = Buffer.from(this.#created ?? '', 'latin1').toString();
    const { response } = fieldsOf(parseJson(text.slice('data:'.length)));
    return { sequence: this.#sequence + 1, response: isFields(response) ? response : undefined };
  }

  /** False: the search goes on. */
  #end({ type, response }: Fields): boolean {
    const end = typeof type === 'string' ? type.replace('response.', '') : '';
    this.failed ||= end === 'error' || end === 'failed';
    this.finished ||= isFinishedResponse(end);
    this.ended ||= this.finished || end === 'failed';
    if (isFields(response)) this.#usage = responseUsageIn(response) ?? this.#usage;
    return false;
  }
}

/** The first data line that holds a mark, unless it is long. */
function lineOf(lines: string, mark: string): string | undefined {
  const at = lines.indexOf(mark);
  if (at < 0) return undefined;
  const start = lineStart(lines, at);
  if (!lines.startsWith('data:', start)) return lineOf(lines.slice(at + mark.length), mark);
  const end = lines.indexOf('\n', at);
  const line = lines.slice(start, end < 0 ? undefined : end);
  return line.length > longestRemembered ? undefined : line;
}

function lastSequence(lines: string): number | undefined {
  const at = lines.lastIndexOf('"sequence_number":');
  if (at < 0) return undefined;
  const [digits] = /^ *\d{1,15}/.exec(lines.slice(at + 18, at + 40)) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

const scans: Readonly<Record<Dialect, () => StreamScan>> = {
  messages: () => new MessagesScan(),
  chat: () => new ChatScan(),
  responses: () => new ResponsesScan(),
};

const isChatError = (chunk: Fields): boolean => {
  const [choice] = Array.isArray(chunk['choices']) ? (chunk['choices'] as unknown[]) : [];
  return (
    hasError(chunk) || chunk['object'] === 'error' || fieldsOf(choice)['finish_reason'] === 'error'
  );
};

const isMessagesError = (data: Fields): boolean => data['type'] === 'error' || hasError(data);

const hasError = (data: Fields): boolean => data['error'] !== undefined && data['error'] !== null;

const marks = {
  '"usage"': /"usage"/,
  '"message_stop"': /"message_stop"/,
  '"error"': /"error"/,
  '"type"': /"type"/,
} as const;

/** Whether one of the data lines that hold the mark satisfies the test; each is parsed once. */
function someLine(
  lines: string,
  mark: keyof typeof marks,
  test: (data: Fields) => boolean,
): boolean {
  if (!marks[mark].test(lines)) return false;
  for (let at = lines.indexOf(mark); at >= 0; at = lines.indexOf(mark, at)) {
    const end = lines.indexOf('\n', at);
    if (test(dataAround(lines, at))) return true;
    if (end < 0) return false;
    at = end;
  }
  return false;
}

/** The last one counts: vendors that report on every chunk add up themselves. */
function lastChatUsage(lines: string): Usage | null {
  // Many vendors send a null on every chunk.
  if (!/"usage": *\{/.test(lines)) return null;
  for (
    let at = lines.lastIndexOf('"usage":');
    at >= 0;
    at = at === 0 ? -1 : lines.lastIndexOf('"usage":', at - 1)
  ) {
    if (lines[afterSpaces(lines, at + 8)] !== '{') continue;
    const usage = chatUsageIn(dataAround(lines, at));
    if (usage !== null) return usage;
  }
  return null;
}

/** Neither null nor `""`, which some vendors put on every chunk. */
const hasFinishReason = (lines: string): boolean => /"finish_reason": *"[^"]/.test(lines);

function hasDoneLine(lines: string): boolean {
  for (let at = lines.indexOf('[DONE]'); at >= 0; at = lines.indexOf('[DONE]', at + 1)) {
    if (/^data: *$/.test(lines.slice(lineStart(lines, at), at))) return true;
  }
  return false;
}

const lineStart = (lines: string, at: number): number =>
  at === 0 ? 0 : lines.lastIndexOf('\n', at - 1) + 1;

/** The fields of the `data:` line around a place; none for any other line. */
function dataAround(lines: string, at: number): Fields {
  const start = lineStart(lines, at);
  if (!lines.startsWith('data:', start)) return {};
  const end = lines.indexOf('\n', at);
  return fieldsOf(parseJson(lines.slice(start + 5, end < 0 ? undefined : end)));
}

function afterSpaces(lines: string, at: number): number {
  let next = at;
  while (lines.charCodeAt(next) === 0x20) next += 1;
  return next;
}

/**
 * UTF-8 bytes of all string values that begin behind a mark. Many vendors write each character
 * beyond ASCII as an escape of six: an escape counts as what it stands for.
 */
function countTexts(lines: string, begin: RegExp): number {
  let count = 0;
  let escape = lines.indexOf('\\');
  while (begin.test(lines)) {
    const start = begin.lastIndex;
    const end = endOfText(lines, start);
    begin.lastIndex = end;
    count += end - start;
    if (escape >= 0 && escape < start) escape = lines.indexOf('\\', start);
    if (escape >= 0 && escape < end) count -= spareBytes(lines.slice(escape, end));
  }
  return count;
}

/** By how much escapes are longer than the UTF-8 they stand for. */
function spareBytes(text: string): number {
  let spare = 0;
  for (const [escaped, hex] of text.matchAll(/\\(?:u([0-9a-fA-F]{4})|.)/g)) {
    spare += escaped.length - (hex === undefined ? 1 : utf8BytesOf(Number.parseInt(hex, 16)));
  }
  return spare;
}

/** Of one UTF-16 unit; half of a pair is two of the four bytes of its character. */
function utf8BytesOf(unit: number): number {
  if (unit < 0x80) return 1;
  return unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 2 : 3;
}

/** The closing quote, or the end of the text. */
function endOfText(lines: string, from: number): number {
  for (let close = lines.indexOf('"', from); close >= 0; close = lines.indexOf('"', close + 1)) {
    let before = close - 1;
    while (before >= from && lines.charCodeAt(before) === 0x5c) before -= 1;
    if ((close - 1 - before) % 2 === 0) return close;
  }
  return lines.length;
}
