import { randomBytes } from 'node:crypto';
import type { NewStoredResponse } from '@gateway/store';

export interface StoredResponseOptions {
  readonly accountId: string;
  readonly responseId?: string;
  readonly previousId?: string | null;
  /** Texts of its items. */
  readonly input?: readonly string[];
  readonly output?: readonly string[];
  readonly response?: object;
}

const name = (prefix: string): string => `${prefix}_${randomBytes(16).toString('hex')}`;

/** A response as the api hands it to the store. */
export function aStoredResponse({
  accountId,
  responseId = name('resp'),
  previousId = null,
  input = ['question'],
  output = ['answer'],
  response = {},
}: StoredResponseOptions): NewStoredResponse {
  const items = [...input, ...output].map((text, position) => {
    const itemId = name('msg');
    return {
      itemId,
      isOutput: position >= input.length,
      body: Buffer.from(JSON.stringify({ id: itemId, type: 'message', text })),
    };
  });
  const itemBytes = items.reduce((bytes, { body }) => bytes + body.length, 0);
  const text = Buffer.from(JSON.stringify({ id: responseId, object: 'response', ...response }));
  return {
    accountId,
    responseId,
    previousId,
    response: text,
    items,
    itemBytes,
    sizeBytes: itemBytes + text.length,
  };
}
