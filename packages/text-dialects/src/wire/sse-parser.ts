import { StringDecoder } from 'node:string_decoder';
import { GatewayError } from '@gateway/domain';
import type { SseEvent } from '../neutral.ts';
import { asBuffer } from './body-spans.ts';

export interface SseParser {
  /**
   * The events that this chunk completes. Throws a GatewayError `upstream_error` when one event
   * grows past the limit.
   */
  push(chunk: Uint8Array): SseEvent[];
  /** The last event, when the stream ended without its blank line. */
  end(): SseEvent[];
}

/** An event may carry a whole picture in base64. */
const defaultMaxEventBytes = 16 * 1024 * 1024;

/** Fields of the event that is being read. */
interface Pending {
  event: string | undefined;
  data: string | undefined;
}

/**
 * Cuts a text/event-stream into events; chunks may end anywhere, also inside a character or between
 * CR and LF. Comments, `id:` and `retry:` are left out, and so is an event without data. Lines end
 * in LF or CRLF: no vendor ends them in CR alone.
 */
export function createSseParser({
  maxEventBytes = defaultMaxEventBytes,
}: { maxEventBytes?: number } = {}): SseParser {
  const decoder = createDecoder();
  let pending: Pending = { event: undefined, data: undefined };
  let unfinishedLine = '';
  let atStart = true;

  const takeLine = (line: string, events: SseEvent[]): void => {
    if (line !== '' && line !== '\r') {
      readLine(line.endsWith('\r') ? line.slice(0, -1) : line, pending);
      return;
    }
    if (pending.data !== undefined && pending.data !== '') {
      events.push({ event: pending.event, data: pending.data });
    }
    pending = { event: undefined, data: undefined };
  };

  const takeText = (text: string): SseEvent[] => {
    const events: SseEvent[] = [];
    let from = 0;
    for (let lineEnd = text.indexOf('\n'); lineEnd >= 0; lineEnd = text.indexOf('\n', from)) {
      const line = text.slice(from, lineEnd);
      takeLine(unfinishedLine === '' ? line : unfinishedLine + line, events);
      unfinishedLine = '';
      from = lineEnd + 1;
    }
    // Only new text is searched: a long line in many chunks is joined once, when it is complete.
    unfinishedLine += from === 0 ? text : text.slice(from);
    if (unfinishedLine.length + (pending.data?.length ?? 0) > maxEventBytes) {
      throw new GatewayError(
        'upstream_error',
        `the upstream sent an event of more than ${maxEventBytes} bytes`,
      );
    }
    return events;
  };

  const withoutMark = (text: string): string => {
    if (!atStart || text === '') return text;
    atStart = false;
    return text.startsWith('\uFEFF') ? text.slice(1) : text;
  };

  return {
    push: (chunk) => takeText(withoutMark(decoder.write(chunk))),
    end() {
      const rest = withoutMark(decoder.end());
      return rest === '' && unfinishedLine === '' && pending.data === undefined
        ? []
        : takeText(`${rest}\n\n`);
    },
  };
}

/**
 * Nearly every chunk ends with a line and so with a whole character: what joins characters that
 * were cut in two, and costs a microsecond to make, is made when one is.
 */
function createDecoder(): { write(chunk: Uint8Array): string; end(): string } {
  let joining: StringDecoder | undefined;
  return {
    write(chunk) {
      const lastByte = chunk[chunk.length - 1] ?? 0;
      if (joining === undefined && lastByte < 0x80) return asBuffer(chunk).toString();
      joining ??= new StringDecoder('utf8');
      return joining.write(chunk);
    },
    end: () => joining?.end() ?? '',
  };
}

function readLine(line: string, pending: Pending): void {
  if (line.startsWith('data:')) {
    const value = line.slice(line.charCodeAt(5) === 0x20 ? 6 : 5);
    pending.data = pending.data === undefined ? value : `${pending.data}\n${value}`;
  } else if (line.startsWith('event:')) {
    pending.event = line.slice(line.charCodeAt(6) === 0x20 ? 7 : 6);
  }
}
