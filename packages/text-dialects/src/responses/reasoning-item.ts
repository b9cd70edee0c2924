import type { Fields } from '../json.ts';
import type { Events } from './events.ts';
import {
  type ItemPlace,
  type ItemStatus,
  type OutputItem,
  placeOf,
  placeText,
} from './output-item.ts';
import { sealThoughts } from './sealed-thoughts.ts';

export interface ReasoningItem extends OutputItem {
  text(text: string): void;
  sign(signature: string): void;
}

export interface ReasoningOptions {
  /** Encrypted thoughts in place of a text. */
  readonly redacted?: string | undefined;
  /** Whether the client is shown what carries the thoughts to its next request. */
  readonly includeEncrypted: boolean;
}

/** An item for a client that did not ask for what carries its thoughts. */
export function withoutSealed(item: Fields): Fields {
  const { encrypted_content: _sealed, ...shown } = item;
  return shown;
}

/** Thoughts as the one part of a summary, with what carries them to the next request. */
export function openReasoning(
  events: Events,
  place: ItemPlace,
  { redacted, includeEncrypted }: ReasoningOptions,
): ReasoningItem {
  const shown = includeEncrypted ? (item: Fields): Fields => item : withoutSealed;
  const where = { ...placeOf(place), summary_index: 0 };
  const textPlace = `${placeText(place)},"summary_index":0`;
  let thoughts: string | undefined;
  let signature: string | undefined;
  const itemWith = (status: ItemStatus | 'in_progress'): Fields => ({
    id: place.id,
    type: 'reasoning',
    status,
    summary: thoughts === undefined ? [] : [{ type: 'summary_text', text: thoughts }],
    encrypted_content:
      status === 'in_progress'
        ? null
        : sealThoughts({
            text: thoughts ?? '',
            ...(signature !== undefined && { signature }),
            ...(redacted !== undefined && { redacted }),
          }),
  });
  events.tell('response.output_item.added', {
    output_index: place.index,
    item: shown(itemWith('in_progress')),
  });
  return {
    text(text) {
      if (thoughts === undefined) {
        const part = { type: 'summary_text', text: '' };
        events.tell('response.reasoning_summary_part.added', { ...where, part });
      }
      thoughts = (thoughts ?? '') + text;
      events.delta('response.reasoning_summary_text.delta', textPlace, text);
    },
    sign(given) {
      signature = given;
    },
    item: itemWith,
    close(status) {
      if (thoughts !== undefined) {
        const part = { type: 'summary_text', text: thoughts };
        events.tell('response.reasoning_summary_text.done', { ...where, text: thoughts });
        events.tell('response.reasoning_summary_part.done', { ...where, part });
      }
      const item = itemWith(status);
      events.tell('response.output_item.done', { output_index: place.index, item: shown(item) });
      return item;
    },
  };
}
