import type { NewStoredResponse, StoredItem } from '@gateway/store';
import type { StoredResponses } from '../../text/index.ts';

export type KeptResponse = Parameters<StoredResponses['keep']>[0];

/** What a row costs beside its text: its keys, its place in the indexes, its header. */
const responseBytes = 512;
const rowBytes = 256;
/** Of a response, or named by one request. */
export const mostItems = 10_000;

/** What is written at one go: a millisecond or two. */
const sliceBytes = 262_144;

/** Longer ones, and those that a text column cannot hold, are nobody's names. */
const namePattern = /^[\x20-\x7e]{1,256}$/;

/**
 * A response as its rows, or `too_large` when it would count more than `maxBytes`; then the rest of
 * it is not written. Yields after each slice. Its output stands in it twice: in the object, which a
 * client gets back as it was, and as items, which are found by their ids. Throws what
 * JSON.stringify throws.
 */
export function* writeResponse(
  { accountId, responseId, previousResponseId, input, response }: KeptResponse,
  maxBytes: number,
): Generator<undefined, NewStoredResponse | 'too_large'> {
  const output = Array.isArray(response['output']) ? (response['output'] as unknown[]) : [];
  if (input.length + output.length > mostItems) return 'too_large';
  const items: StoredItem[] = [];
  let itemBytes = 0;
  let slice = 0;
  for (const [place, item] of [...input, ...output].entries()) {
    const body = Buffer.from(JSON.stringify(item));
    items.push({ itemId: idOf(item), isOutput: place >= input.length, body });
    itemBytes += body.length + rowBytes;
    if (responseBytes + itemBytes > maxBytes) return 'too_large';
    slice += body.length + rowBytes;
    if (slice > sliceBytes) {
      slice = 0;
      yield;
    }
  }
  const text = Buffer.from(JSON.stringify(response));
  const sizeBytes = responseBytes + itemBytes + text.length;
  if (sizeBytes > maxBytes) return 'too_large';
  return {
    accountId,
    responseId,
    previousId: previousResponseId,
    response: text,
    items,
    itemBytes,
    sizeBytes,
  };
}

/** Whether an id can be one of ours or of a vendor's. */
export const isName = (id: unknown): id is string => typeof id === 'string' && namePattern.test(id);

function idOf(item: unknown): string | null {
  const id = (item as { readonly id?: unknown } | null)?.id;
  return isName(id) ? id : null;
}
