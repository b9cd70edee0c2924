import { describeError } from '@gateway/domain';
import { createCompletionFilter, type CompletionFilter } from './filters.ts';
import { parseJson } from './json.ts';
import type { CompletionMemory, SseEvent, StreamReader, TextEvent } from './neutral.ts';
import { unreadable } from './upstream-failure.ts';
import { createSseParser } from './wire/sse-parser.ts';

/** Bytes to events: parser, reader, filter. What cannot be read is a failure of the upstream. */
export class StreamFeed {
  readonly #parser = createSseParser();
  readonly #reader: StreamReader;
  readonly #filter: CompletionFilter;

  constructor(reader: StreamReader, memory: CompletionMemory) {
    this.#reader = reader;
    this.#filter = createCompletionFilter(memory);
  }

  push(chunk: Uint8Array): TextEvent[] {
    try {
      return this.#read(this.#parser.push(chunk));
    } catch (error) {
      return this.#broken(error);
    }
  }

  end(): TextEvent[] {
    try {
      // In this order: the last event may be the one that says that the completion is complete.
      const last = this.#read(this.#parser.end().filter(isWhole));
      return this.take(this.#reader.end(), last);
    } catch (error) {
      return this.#broken(error);
    }
  }

  /**
   * Events that did not come from the upstream, too. Plain loops: this runs for every chunk of
   * every translated stream.
   */
  take(events: readonly TextEvent[], into: TextEvent[] = []): TextEvent[] {
    for (const event of events) {
      for (const filtered of this.#filter.push(event)) into.push(filtered);
    }
    return into;
  }

  isCut(): boolean {
    return this.#filter.isCut();
  }

  #read(events: readonly SseEvent[]): TextEvent[] {
    const told: TextEvent[] = [];
    for (const event of events) this.take(this.#reader.push(event), told);
    return told;
  }

  #broken(error: unknown): TextEvent[] {
    return this.take([
      {
        type: 'failure',
        failure: unreadable(`The upstream's stream cannot be read: ${describeError(error)}`),
      },
    ]);
  }
}

/**
 * The last event may have been cut off with the stream: then the stream is what failed, not the
 * event.
 */
const isWhole = ({ data }: SseEvent): boolean =>
  data.trim() === '[DONE]' || parseJson(data) !== undefined;
