import { parseJson, type Fields } from '../json.ts';
import type { Dialect, Usage } from '../neutral.ts';
import { chatUsageField, fieldsOf, usageOf } from './usage.ts';

/**
 * What the gateway must know of a stream that it passes along, found by looking for marks: only lines that hold one are parsed.
 * The text is bytes read as latin1, whole lines at a time; keys and figures are ASCII, so nothing is lost.
 */
export interface StreamScan {
  scan(lines: string): void;
  usage(): Usage | null;
  readonly finished: boolean;
  readonly ended: boolean;
  readonly failed: boolean;
  readonly outputCharacters: number;
}

export function createStreamScan(dialect: Dialect): StreamScan {
  return dialect === 'messages' ? createMessagesScan() : createChatScan();
}

/** Inside a JSON string a quote is escaped, so a mark with quotes is a key or a whole value, never a part of the model's text. */
const chatTexts = ['content":', 'reasoning":', 'arguments":'] as const;
const messagesTexts = ['text":', 'thinking":', 'partial_json":'] as const;

function createChatScan(): StreamScan {
  let usage: Usage | null = null;
  let finished = false;
  let ended = false;
  let failed = false;
  let outputCharacters = 0;
  return {
    scan(lines) {
      ended ||= hasDoneLine(lines);
      finished ||= ended || hasFinishReason(lines);
      usage = lastChatUsage(lines) ?? usage;
      failed ||= lines.includes('"error"') && someLine(lines, '"error"', isChatError);
      outputCharacters += countTexts(lines, chatTexts);
    },
    usage: () => usage,
    get finished() { return finished; },
    get ended() { return ended; },
    get failed() { return failed; },
    get outputCharacters() { return outputCharacters; },
  };
}

function createMessagesScan(): StreamScan {
  let raw: Fields = {};
  let finished = false;
  let failed = false;
  let outputCharacters = 0;
  const merge = (data: Fields): boolean => {
    const reported = fieldsOf(data['type'] === 'message_start' ? fieldsOf(data['message'])['usage'] : data['usage']);
    // A later figure replaces the earlier one; null says nothing.
    raw = { ...raw, ...Object.fromEntries(Object.entries(reported).filter(([, value]) => value !== null)) };
    return false;
  };
  return {
    scan(lines) {
      if (lines.includes('"usage"')) someLine(lines, '"usage"', merge);
      finished ||= lines.includes('"message_stop"') && someLine(lines, '"message_stop"', ({ type }) => type === 'message_stop');
      failed ||= lines.includes('"error"') && someLine(lines, '"error"', isMessagesError);
      outputCharacters += countTexts(lines, messagesTexts);
    },
    usage: () => usageOf('messages', raw),
    get finished() { return finished; },
    get ended() { return finished; },
    get failed() { return failed; },
    get outputCharacters() { return outputCharacters; },
  };
}

const isChatError = (chunk: Fields): boolean => {
  const [choice] = Array.isArray(chunk['choices']) ? (chunk['choices'] as unknown[]) : [];
  return hasError(chunk) || chunk['object'] === 'error' || fieldsOf(choice)['finish_reason'] === 'error';
};

const isMessagesError = (data: Fields): boolean => data['type'] === 'error' || hasError(data);

const hasError = (data: Fields): boolean => data['error'] !== undefined && data['error'] !== null;

/** Whether one of the data lines that hold the mark satisfies the test; each is parsed once. */
function someLine(lines: string, mark: string, test: (data: Fields) => boolean): boolean {
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
  for (let at = lines.lastIndexOf('"usage":'); at >= 0; at = at === 0 ? -1 : lines.lastIndexOf('"usage":', at - 1)) {
    if (lines[afterSpaces(lines, at + 8)] !== '{') continue;
    const usage = usageOf('chat', chatUsageField(dataAround(lines, at)));
    if (usage !== null) return usage;
  }
  return null;
}

/** Neither null nor `""`, which some vendors put on every chunk. */
function hasFinishReason(lines: string): boolean {
  for (let at = lines.indexOf('"finish_reason":'); at >= 0; at = lines.indexOf('"finish_reason":', at + 1)) {
    const value = afterSpaces(lines, at + 16);
    if (lines[value] === '"' && lines[value + 1] !== '"') return true;
  }
  return false;
}

function hasDoneLine(lines: string): boolean {
  for (let at = lines.indexOf('[DONE]'); at >= 0; at = lines.indexOf('[DONE]', at + 1)) {
    if (/^data: *$/.test(lines.slice(lineStart(lines, at), at))) return true;
  }
  return false;
}

const lineStart = (lines: string, at: number): number => (at === 0 ? 0 : lines.lastIndexOf('\n', at - 1) + 1);

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

/** Length of all string values whose keys end in one of the marks, as written. */
function countTexts(lines: string, marks: readonly string[]): number {
  let count = 0;
  for (const mark of marks) {
    for (let at = lines.indexOf(mark); at >= 0; at = lines.indexOf(mark, at)) {
      const value = afterSpaces(lines, at + mark.length);
      at = lines.charCodeAt(value) === 0x22 ? endOfText(lines, value + 1) : value;
      if (at > value) count += at - value - 1;
    }
  }
  return count;
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
