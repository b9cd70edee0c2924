import type { ResponseOptions } from '../completion-options.ts';
import type { Fields } from '../json.ts';
import type { Source, TextEvent } from '../neutral.ts';
import { type CallItem, openCustomCall, openFunctionCall } from './call-item.ts';
import type { Events } from './events.ts';
import { MessageItem } from './message-item.ts';
import { toolNamed } from './namespaces.ts';
import type { ItemPlace, ItemStatus } from './output-item.ts';
import { openReasoning, type ReasoningItem } from './reasoning-item.ts';

export interface OutputOptions {
  readonly events: Events;
  /** Names of tools whose calls are texts. */
  readonly customTools: readonly string[];
  readonly includeEncrypted: boolean;
  readonly namespaced: ResponseOptions['namespaced'];
  readonly newSuffix: () => string;
}

type Open =
  | { readonly kind: 'message'; readonly of: MessageItem }
  | { readonly kind: 'reasoning'; readonly of: ReasoningItem }
  | { readonly kind: 'call'; readonly of: CallItem };

type Takers = {
  readonly [Type in TextEvent['type']]?: (event: Extract<TextEvent, { type: Type }>) => void;
};

/** The items of a response, from the events of a completion: one is open at a time. */
export class Output {
  readonly #options: OutputOptions;
  readonly #closed: Fields[] = [];
  /** Came while no text was open, for the next one. */
  #sources: Source[] = [];
  #textLength = 0;
  #hasRefused = false;
  #open: Open | undefined;

  constructor(options: OutputOptions) {
    this.#options = options;
  }

  readonly #takers: Takers = {
    text: ({ text, isRefusal = false }) => {
      this.#say(text, isRefusal);
    },
    source: ({ source }) => {
      if (this.#open?.kind === 'message' && !this.#open.of.hasRefused) this.#open.of.cite(source);
      else this.#sources.push(source);
    },
    reasoning: ({ text }) => {
      this.#reasoning().text(text);
    },
    // A signature closes its thought; what follows is another one.
    reasoning_signature: ({ signature }) => {
      this.#reasoning().sign(signature);
      this.#close('completed');
    },
    reasoning_redacted: ({ data }) => {
      this.#openReasoning(data);
      this.#close('completed');
    },
    tool_start: ({ id, name }) => {
      this.#call(id, name);
    },
    tool_arguments: ({ text }) => {
      if (this.#open?.kind === 'call' && text !== '') this.#open.of.arguments(text);
    },
  };

  take(event: TextEvent): void {
    (this.#takers[event.type] as ((given: TextEvent) => void) | undefined)?.(event);
  }

  /** Tells why the model refused, unless it has said so itself. */
  refuse(explanation: string): void {
    if (!this.#hasRefused) this.#message(true).refuse(explanation);
  }

  /** Tells the end of the last item. */
  close(status: ItemStatus): void {
    this.#citeAll();
    this.#close(status);
  }

  /** All items; the one that is open as it is. */
  items(): readonly Fields[] {
    return this.#open === undefined
      ? this.#closed
      : [...this.#closed, this.#open.of.item('incomplete')];
  }

  #say(text: string, isRefusal: boolean): void {
    if (isRefusal) this.#message(true).refuse(text);
    else this.#message(false).text(text);
    this.#textLength += text.length;
    this.#hasRefused ||= isRefusal;
    if (!isRefusal && this.#sources.length > 0) this.#citeAll();
  }

  #citeAll(): void {
    const held = this.#sources;
    this.#sources = [];
    for (const source of held) this.#message(false).cite(source);
  }

  #close(status: ItemStatus): void {
    if (this.#open !== undefined) this.#closed.push(this.#open.of.close(status));
    this.#open = undefined;
  }

  /** Where the next item stands, when the one before is closed. */
  #place(prefix: string): ItemPlace {
    this.#close('completed');
    return { id: `${prefix}_${this.#options.newSuffix()}`, index: this.#closed.length };
  }

  /** One that takes a text, or a refusal. */
  #message(isRefusal: boolean): MessageItem {
    const open = this.#open;
    if (open?.kind === 'message' && (isRefusal || !open.of.hasRefused)) return open.of;
    const of = new MessageItem(this.#options.events, this.#place('msg'), this.#textLength);
    this.#open = { kind: 'message', of };
    return of;
  }

  #reasoning(): ReasoningItem {
    return this.#open?.kind === 'reasoning' ? this.#open.of : this.#openReasoning(undefined);
  }

  #openReasoning(redacted: string | undefined): ReasoningItem {
    const { events, includeEncrypted } = this.#options;
    const of = openReasoning(events, this.#place('rs'), { redacted, includeEncrypted });
    this.#open = { kind: 'reasoning', of };
    return of;
  }

  #call(callId: string, name: string): void {
    const { events, customTools, namespaced } = this.#options;
    const isCustom = customTools.includes(name);
    const open = isCustom ? openCustomCall : openFunctionCall;
    const place = this.#place(isCustom ? 'ctc' : 'fc');
    const call = { callId, ...toolNamed(namespaced, name) };
    this.#open = { kind: 'call', of: open(events, place, call) };
  }
}
