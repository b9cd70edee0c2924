import { serviceTierOf } from '../chat/finish-reasons.ts';
import { estimateByteTokens } from '../estimate.ts';
import type { Fields } from '../json.ts';
import type {
  CompletionIdentity,
  CompletionMemory,
  Finish,
  FinishReason,
  TextEvent,
  UpstreamFailure,
  Usage,
} from '../neutral.ts';
import { responseFailure } from '../wire/write-failure.ts';
import type { Events } from './events.ts';
import { Output } from './output.ts';
import { withoutSealed } from './reasoning-item.ts';
import { responseUsage } from './usage.ts';

export interface ResponseTranslation {
  readonly memory: CompletionMemory;
  readonly identity: CompletionIdentity;
  /**
   * Called with the whole Response object once it is complete: as the client gets it, with what
   * carries the thoughts whether it asked for that or not.
   */
  readonly onResponse?: ((response: Fields) => void) | undefined;
}

/** Why a completion is not whole; the others are. */
const incompleteReasons: Partial<Record<FinishReason, string>> = {
  length: 'max_output_tokens',
  context_window: 'max_output_tokens',
  refusal: 'content_filter',
};

/** A response as it grows from the events of its completion, told to `events`. */
export class GrowingResponse {
  readonly #options: ResponseTranslation;
  readonly #events: Events;
  readonly #id: string;
  readonly #output: Output;
  #finish: Finish = { reason: 'stop' };
  #usage: Usage | undefined;
  /** Of text and JSON, for upstreams that report no tokens. */
  #outputBytes = 0;

  constructor(options: ResponseTranslation, events: Events) {
    const { identity, memory } = options;
    this.#options = options;
    this.#events = events;
    this.#id = `resp_${identity.newSuffix()}`;
    this.#output = new Output({
      events,
      customTools: memory.completion.customTools,
      includeEncrypted: memory.completion.response?.includeEncrypted === true,
      namespaced: memory.completion.response?.namespaced ?? {},
      newSuffix: identity.newSuffix,
    });
  }

  begin(): void {
    const response = this.#response('in_progress');
    this.#events.tell('response.created', { response });
    this.#events.tell('response.in_progress', { response });
  }

  take(event: TextEvent): void {
    if ('text' in event) this.#outputBytes += Buffer.byteLength(event.text);
    if (event.type === 'finish') this.#finish = event.finish;
    else if (event.type === 'usage') this.#usage = event.usage;
    else this.#output.take(event);
  }

  /** Tells the end, and gives the response as the client gets it. */
  end(): Fields {
    const { identity, onResponse } = this.#options;
    const { reason, explanation } = this.#finish;
    if (explanation !== undefined) this.#output.refuse(explanation);
    const incomplete = explanation === undefined ? incompleteReasons[reason] : undefined;
    const status = incomplete === undefined ? 'completed' : 'incomplete';
    this.#output.close(status);
    const whole = this.#response(status, {
      completed_at: incomplete === undefined ? (identity.now?.() ?? identity.created) : null,
      incomplete_details: incomplete === undefined ? null : { reason: incomplete },
      usage: responseUsage(this.#usage ?? this.#estimate()),
      output: this.#output.items(),
    });
    const response = this.#shown(whole);
    this.#events.tell(`response.${status}`, { response });
    onResponse?.(whole);
    return response;
  }

  fail(failure: UpstreamFailure): void {
    const told = responseFailure(failure);
    const { code, message } = told;
    this.#events.tell('error', { ...told });
    const output = this.#output.items();
    const response = this.#response('failed', { error: { code, message }, output });
    this.#events.tell('response.failed', { response: this.#shown(response) });
  }

  #shown(response: Fields): Fields {
    if (this.#options.memory.completion.response?.includeEncrypted === true) return response;
    const items = response['output'] as readonly Fields[];
    return { ...response, output: items.map(withoutSealed) };
  }

  #response(status: string, news: Fields = {}): Fields {
    const { identity, memory } = this.#options;
    return {
      id: this.#id,
      object: 'response',
      created_at: identity.created,
      status,
      completed_at: null,
      error: null,
      incomplete_details: null,
      model: identity.model,
      output: [],
      usage: null,
      service_tier: serviceTierOf(this.#usage ?? this.#estimate()).service_tier ?? 'default',
      access_programs: null,
      ...memory.completion.response?.settings,
      ...news,
    };
  }

  #estimate(): Usage {
    return {
      inputTokens: this.#options.memory.inputEstimate,
      cachedInputTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: estimateByteTokens(this.#outputBytes),
      reasoningTokens: 0,
      estimated: true,
    };
  }
}
