import { GatewayError } from '@gateway/domain';
import { type Fields, isFields } from '../json.ts';
import { readList, readText, unique } from '../values.ts';

/** What a request builds on that the gateway keeps. */
export interface References {
  readonly previousResponseId: string | undefined;
  /** Each once. */
  readonly itemIds: readonly string[];
}

/** More than a conversation of a thousand turns has. */
const mostReferences = 4_000;

/** The id that an item stands for; it may come without its type. */
function referenceOf(item: unknown): string | undefined {
  if (!isFields(item)) return undefined;
  const isReference =
    item['type'] === 'item_reference' ||
    ((item['type'] ?? null) === null && item['role'] === undefined);
  return isReference ? readText(item['id']) : undefined;
}

/** Undefined for nearly every request. Throws `invalid_parameter` for too many. */
export function referencesIn(body: Fields): References | undefined {
  const previousResponseId = readText(body['previous_response_id']);
  const ids = (readList(body['input']) ?? []).map(referenceOf).filter((id) => id !== undefined);
  const itemIds = unique(ids);
  if (itemIds.length > mostReferences) {
    throw new GatewayError(
      'invalid_parameter',
      `input must not refer to more than ${mostReferences} items; send previous_response_id instead`,
      { param: 'input' },
    );
  }
  return previousResponseId === undefined && itemIds.length === 0
    ? undefined
    : { previousResponseId, itemIds };
}

/** What the references of one request stand for: items as JSON. */
export interface Referred {
  /** Items before those of the request, oldest first. */
  readonly conversation: readonly string[];
  readonly items: ReadonlyMap<string, string>;
}

/** The items of a request's own `input`; a text is one of them. */
function inputItems(input: unknown): readonly unknown[] {
  if (typeof input !== 'string') return readList(input) ?? [];
  const content = [{ type: 'input_text', text: input }];
  return [{ type: 'message', role: 'user', content }];
}

/**
 * The request as JSON, with all that it refers to in its `input`. What is kept is put in as it is: it
 * may be a thousand times as large as the request, and reading it would hold others up.
 */
export function withReferred(body: Fields, { conversation, items }: Referred): string {
  const { input, ...others } = body;
  const own = inputItems(input).map(
    (item) => items.get(referenceOf(item) ?? '') ?? JSON.stringify(item),
  );
  const list = `"input":[${[...conversation, ...own].join(',')}]`;
  const rest = JSON.stringify(others).slice(1, -1);
  return rest === '' ? `{${list}}` : `{${rest},${list}}`;
}

const prefixes: Readonly<Record<string, string>> = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  function_call_output: 'fco',
  custom_tool_call: 'ctc',
  custom_tool_call_output: 'ctco',
};

/** The items of a request as they are kept, each with an id. */
export function itemsToKeep(
  body: Fields,
  items: Referred['items'],
  newSuffix: () => string,
): readonly Fields[] {
  return inputItems(body['input'])
    .map((item) => {
      const kept = items.get(referenceOf(item) ?? '');
      return kept === undefined ? item : (JSON.parse(kept) as unknown);
    })
    .filter(isFields)
    .map((item) => {
      const type = readText(item['type']) ?? 'message';
      const id = readText(item['id']) ?? `${prefixes[type] ?? 'item'}_${newSuffix()}`;
      return { ...item, type, id };
    });
}
