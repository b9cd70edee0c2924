import { createToolQueue } from '../chat/tool-queue.ts';
import { type Fields, isFields, lookUp, parseJson, wordsOf } from '../json.ts';
import type {
  CompletionIdentity,
  CompletionMemory,
  StreamReader,
  TextEvent,
  UpstreamFailure,
} from '../neutral.ts';
import { movedSource } from '../source.ts';
import { cutShort, failureIn, failureOfBody, unreadable } from '../upstream-failure.ts';
import { readCount, readList, readRecord, readString } from '../values.ts';
import { markVendorSeal } from '../vendor-seal.ts';
import { responseUsageIn } from '../wire/usage.ts';
import {
  customArguments,
  estimatedUsage,
  finishOfResponse,
  readAnnotation,
  thoughtsOf,
} from './read-completion.ts';

interface Options {
  readonly memory: CompletionMemory;
  readonly identity: CompletionIdentity;
}

type Words = Extract<TextEvent, { type: 'text' | 'reasoning' }>;

/**
 * Reads the stream of an upstream of the responses format, to the event that tells its end. Events
 * of unknown types, and those of tools that run at the vendor, are passed over.
 */
export function createResponsesStreamReader(options: Options): StreamReader {
  const reading = new ResponseReading(options);
  const fail = (failure: UpstreamFailure): readonly TextEvent[] => reading.fail(failure);
  return {
    push({ event, data }) {
      if (reading.isOver || data === '' || data === '[DONE]') return [];
      const fields = parseJson(data);
      if (!isFields(fields)) {
        return fail(unreadable('The upstream sent an event that cannot be read.'));
      }
      const type = wordsOf(fields['type']) ?? event ?? '';
      const read = lookUp(reading.handlers, type);
      if (read !== undefined) {
        return reading.told(() => {
          read(fields);
        });
      }
      const failure = type === 'error' ? failureOfBody(fields) : failureIn(fields);
      return failure === undefined ? [] : fail(failure);
    },
    end: () => (reading.isOver ? [] : fail(cutShort)),
  };
}

class ResponseReading {
  isOver = false;
  readonly #options: Options;
  readonly #queue: ReturnType<typeof createToolQueue>;
  #events: TextEvent[] = [];
  #started = false;
  #refusal = '';
  #outputBytes = 0;
  /** UTF-16 units of text: of all, and before the part that is told now. */
  #text = { length: 0, before: 0, part: '' };
  /** Items of which something was told before their end. */
  readonly #told = new Set<unknown>();

  constructor(options: Options) {
    this.#options = options;
    this.#queue = createToolQueue({ ...options, hold: false });
  }

  /** The events that come of it. */
  told(work: () => void): readonly TextEvent[] {
    work();
    const told = this.#events;
    this.#events = [];
    return told;
  }

  fail(failure: UpstreamFailure): readonly TextEvent[] {
    return this.told(() => {
      this.#fail(failure);
    });
  }

  #fail(failure: UpstreamFailure): void {
    this.isOver = true;
    // What failed before it began cost nothing, as far as anyone can tell.
    if (this.#started) {
      const usage = estimatedUsage(this.#outputBytes, this.#options.memory);
      this.#tell({ type: 'usage', usage });
    }
    this.#tell({ type: 'failure', failure });
  }

  readonly #tell = (event: TextEvent): void => {
    if ('text' in event) this.#outputBytes += Buffer.byteLength(event.text);
    this.#events.push(event);
  };

  readonly handlers: Readonly<Record<string, (data: Fields) => void>> = {
    'response.created': ({ response }) => {
      this.#start(response);
    },
    'response.in_progress': ({ response }) => {
      this.#start(response);
    },
    'response.output_item.added': (data) => {
      const item = readRecord(data['item']) ?? {};
      if (item['type'] === 'function_call') this.#call(data, item, '');
    },
    'response.output_text.delta': (data) => {
      this.#say(data, { type: 'text', text: readString(data['delta']) ?? '' });
    },
    'response.refusal.delta': (data) => {
      this.#say(data, { type: 'text', text: readString(data['delta']) ?? '', isRefusal: true });
    },
    'response.reasoning_summary_part.added': (data) => {
      if ((readCount(data['summary_index']) ?? 0) > 0) {
        this.#say(data, { type: 'reasoning', text: '\n\n' });
      }
    },
    'response.reasoning_summary_text.delta': (data) => {
      this.#say(data, { type: 'reasoning', text: readString(data['delta']) ?? '' });
    },
    'response.reasoning_text.delta': (data) => {
      this.#say(data, { type: 'reasoning', text: readString(data['delta']) ?? '' });
    },
    'response.output_text.annotation.added': (data) => {
      this.#cite(data['annotation']);
    },
    'response.function_call_arguments.delta': (data) => {
      this.#told.add(data['output_index']);
      this.#call(data, {}, readString(data['delta']) ?? '');
    },
    'response.output_item.done': (data) => {
      this.#endItem(data, readRecord(data['item']) ?? {});
    },
    'response.completed': ({ response }) => {
      this.#end(readRecord(response) ?? {}, 'completed');
    },
    'response.incomplete': ({ response }) => {
      this.#end(readRecord(response) ?? {}, 'incomplete');
    },
    'response.failed': ({ response }) => {
      const { error } = readRecord(response) ?? {};
      this.#fail(failureOfBody({ error: error ?? 'The response failed.' }));
    },
  };

  #start(response: unknown): void {
    if (this.#started) return;
    this.#started = true;
    this.#tell({ type: 'start', id: wordsOf(readRecord(response)?.['id']) ?? '' });
  }

  #say(data: Fields, words: Words): void {
    this.#start(undefined);
    this.#told.add(data['output_index']);
    if (words.text === '') return;
    if (words.type === 'text') {
      this.#place(`${String(data['output_index'])} ${String(data['content_index'])}`);
      this.#text.length += words.text.length;
      if (words.isRefusal === true) this.#refusal += words.text;
    }
    this.#queue.words(words, this.#tell);
  }

  #place(part: string): void {
    if (part !== this.#text.part) this.#text = { ...this.#text, before: this.#text.length, part };
  }

  #cite(annotation: unknown): void {
    const source = readAnnotation(annotation);
    if (source === undefined) return;
    this.#queue.words(
      { type: 'source', source: movedSource(source, this.#text.before) },
      this.#tell,
    );
  }

  #call(data: Fields, { call_id: id, name }: Fields, text: string): void {
    this.#start(undefined);
    const named = name === undefined ? {} : { name };
    this.#queue.fragment(
      { index: data['output_index'], id, function: { ...named, arguments: text } },
      this.#tell,
    );
  }

  /** What an upstream has told in no event before is told now. */
  #endItem(data: Fields, item: Fields): void {
    const isTold = this.#told.has(data['output_index']);
    if (item['type'] === 'function_call') {
      if (!isTold) this.#call(data, item, wordsOf(item['arguments']) ?? '{}');
    } else if (item['type'] === 'custom_tool_call') this.#call(data, item, customArguments(item));
    else if (item['type'] === 'message' && !isTold) this.#sayWhole(data, item);
    else if (item['type'] === 'reasoning') this.#endThought(data, item, isTold);
  }

  #sayWhole(data: Fields, item: Fields): void {
    (readList(item['content']) ?? []).forEach((value, index) => {
      const part = readRecord(value) ?? {};
      const refusal = wordsOf(part['refusal']);
      const text = refusal ?? readString(part['text']) ?? '';
      const place = { ...data, content_index: index };
      this.#say(place, { type: 'text', text, ...(refusal !== undefined && { isRefusal: true }) });
      for (const annotation of readList(part['annotations']) ?? []) this.#cite(annotation);
    });
  }

  #endThought(data: Fields, item: Fields, isTold: boolean): void {
    if (!isTold) this.#say(data, { type: 'reasoning', text: thoughtsOf(item) });
    const encrypted = wordsOf(item['encrypted_content']);
    if (encrypted === undefined) return;
    const signature = markVendorSeal(encrypted);
    this.#queue.words({ type: 'reasoning_signature', signature }, this.#tell);
  }

  #end(response: Fields, status: string): void {
    this.#start(response);
    this.isOver = true;
    this.#queue.flush(this.#tell);
    const delivered = { calls: this.#queue.calls(), refusal: this.#refusal };
    const usage =
      responseUsageIn(response) ?? estimatedUsage(this.#outputBytes, this.#options.memory);
    this.#tell({ type: 'usage', usage });
    this.#tell({ type: 'finish', finish: finishOfResponse({ ...response, status }, delivered) });
    this.#tell({ type: 'end' });
  }
}
