import { customInput } from '../chat/custom-input.ts';
import type { Fields } from '../json.ts';
import { isBlank } from '../values.ts';
import type { Events } from './events.ts';
import {
  type ItemPlace,
  type ItemStatus,
  type OutputItem,
  placeOf,
  placeText,
} from './output-item.ts';

export interface CallItem extends OutputItem {
  arguments(text: string): void;
}

export interface Call {
  /** The id that the tool's result names. */
  readonly callId: string;
  readonly name: string;
  /** Left out for a tool without one. */
  readonly namespace?: string;
}

/** A call of a function, whose arguments are told as they come. */
export function openFunctionCall(
  events: Events,
  place: ItemPlace,
  { callId, ...tool }: Call,
): CallItem {
  const where = placeOf(place);
  const textPlace = placeText(place);
  let written = '';
  const itemWith = (status: ItemStatus | 'in_progress'): Fields => ({
    id: place.id,
    type: 'function_call',
    status,
    call_id: callId,
    ...tool,
    arguments: written,
  });
  const add = (text: string): void => {
    written += text;
    events.delta('response.function_call_arguments.delta', textPlace, text);
  };
  events.tell('response.output_item.added', {
    output_index: place.index,
    item: itemWith('in_progress'),
  });
  return {
    arguments: add,
    item: itemWith,
    close(status) {
      // Clients break on an empty text where they expect JSON.
      if (isBlank(written)) add('{}');
      events.tell('response.function_call_arguments.done', {
        ...where,
        name: tool.name,
        arguments: written,
      });
      const item = itemWith(status);
      events.tell('response.output_item.done', { output_index: place.index, item });
      return item;
    },
  };
}

/**
 * A call of a custom tool. Its text stands inside an object that has to be whole before it can be
 * taken out.
 */
export function openCustomCall(
  events: Events,
  place: ItemPlace,
  { callId, ...tool }: Call,
): CallItem {
  const where = placeOf(place);
  let written = '';
  const itemWith = (status: ItemStatus | 'in_progress'): Fields => ({
    id: place.id,
    type: 'custom_tool_call',
    status,
    call_id: callId,
    ...tool,
    input: status === 'in_progress' ? '' : customInput(written),
  });
  events.tell('response.output_item.added', {
    output_index: place.index,
    item: itemWith('in_progress'),
  });
  return {
    arguments(text) {
      written += text;
    },
    item: itemWith,
    close(status) {
      const item = itemWith(status);
      const input = customInput(written);
      events.delta('response.custom_tool_call_input.delta', placeText(place), input);
      events.tell('response.custom_tool_call_input.done', { ...where, input });
      events.tell('response.output_item.done', { output_index: place.index, item });
      return item;
    },
  };
}
