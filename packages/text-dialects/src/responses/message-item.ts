import type { Fields } from '../json.ts';
import type { Source } from '../neutral.ts';
import type { Events } from './events.ts';
import {
  type ItemPlace,
  type ItemStatus,
  type OutputItem,
  placeOf,
  placeText,
} from './output-item.ts';

interface Content {
  readonly type: 'output_text';
  text: string;
  readonly annotations: Fields[];
  readonly logprobs: readonly never[];
}

const emptyContent = (): Content => ({
  type: 'output_text',
  text: '',
  annotations: [],
  logprobs: [],
});

/**
 * A message of the assistant: one text with what it rests on, and behind it the model's own words
 * where it refused.
 */
export class MessageItem implements OutputItem {
  readonly #events: Events;
  readonly #place: ItemPlace;
  readonly #textPlace: string;
  readonly #textBefore: number;
  #content: Content | undefined;
  #refusal: string | undefined;

  /** `textBefore`: UTF-16 units of text in the items before. */
  constructor(events: Events, place: ItemPlace, textBefore: number) {
    this.#events = events;
    this.#place = place;
    this.#textPlace = `${placeText(place)},"content_index":0,"logprobs":[]`;
    this.#textBefore = textBefore;
    events.tell('response.output_item.added', {
      output_index: place.index,
      item: this.#item('in_progress'),
    });
  }

  text(text: string): void {
    this.#openContent().text += text;
    this.#events.delta('response.output_text.delta', this.#textPlace, text);
  }

  /** Its place counts from the beginning of all text. */
  cite(source: Source): void {
    const { annotations, text } = this.#openContent();
    const annotation = annotationOf(source, {
      textBefore: this.#textBefore,
      textLength: text.length,
    });
    this.#events.tell('response.output_text.annotation.added', {
      ...this.#at(0),
      annotation_index: annotations.length,
      annotation,
    });
    annotations.push(annotation);
  }

  /** Words of a refusal: after them comes no text. */
  refuse(words: string): void {
    if (this.#refusal === undefined) {
      this.#closeContent();
      const part = { type: 'refusal', refusal: '' };
      this.#events.tell('response.content_part.added', { ...this.#atRefusal(), part });
    }
    this.#refusal = (this.#refusal ?? '') + words;
    this.#events.tell('response.refusal.delta', { ...this.#atRefusal(), delta: words });
  }

  get hasRefused(): boolean {
    return this.#refusal !== undefined;
  }

  item(status: ItemStatus): Fields {
    return this.#item(status);
  }

  close(status: ItemStatus): Fields {
    if (this.#refusal === undefined) this.#closeContent();
    else this.#closeRefusal(this.#refusal);
    const item = this.#item(status);
    this.#events.tell('response.output_item.done', { output_index: this.#place.index, item });
    return item;
  }

  #item(status: ItemStatus | 'in_progress'): Fields {
    const content = [
      ...(this.#content === undefined ? [] : [this.#content]),
      ...(this.#refusal === undefined ? [] : [{ type: 'refusal', refusal: this.#refusal }]),
    ];
    return { id: this.#place.id, type: 'message', status, role: 'assistant', content };
  }

  #at(contentIndex: number): Fields {
    return { ...placeOf(this.#place), content_index: contentIndex };
  }

  #atRefusal(): Fields {
    return this.#at(this.#content === undefined ? 0 : 1);
  }

  #openContent(): Content {
    if (this.#content !== undefined) return this.#content;
    this.#content = emptyContent();
    this.#events.tell('response.content_part.added', { ...this.#at(0), part: this.#content });
    return this.#content;
  }

  #closeContent(): void {
    if (this.#content === undefined) return;
    const at = this.#at(0);
    const { text } = this.#content;
    this.#events.tell('response.output_text.done', { ...at, text, logprobs: [] });
    this.#events.tell('response.content_part.done', { ...at, part: this.#content });
  }

  #closeRefusal(refusal: string): void {
    const part = { type: 'refusal', refusal };
    this.#events.tell('response.refusal.done', { ...this.#atRefusal(), refusal });
    this.#events.tell('response.content_part.done', { ...this.#atRefusal(), part });
  }
}

/** A place before this text stands at its beginning; what is about no part of it, at its end. */
function annotationOf(
  { url, title, from, to }: Source,
  { textBefore, textLength }: { textBefore: number; textLength: number },
): Fields {
  const within = (place: number | undefined): number =>
    place === undefined ? textLength : Math.max(0, place - textBefore);
  return {
    type: 'url_citation',
    start_index: within(from),
    end_index: within(to),
    url,
    title: title ?? url,
  };
}
