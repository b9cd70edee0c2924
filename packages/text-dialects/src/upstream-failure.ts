import { type Fields, isFields, wordsOf } from './json.ts';
import type { UpstreamFailure } from './neutral.ts';
import { readUpstreamFailure } from './wire/read-failure.ts';

/** Thrown when a response of status 200 turns out to be a failure. */
export class UpstreamFailureError extends Error {
  override readonly name = 'UpstreamFailureError';
  readonly failure: UpstreamFailure;

  constructor(failure: UpstreamFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** A response that cannot be read: neither dialect knows it. */
export const unreadable = (message: string): UpstreamFailure => ({
  status: 502,
  code: 'server_error',
  message,
});

/** The upstream closed before it said that the completion was complete. */
export const cutShort: UpstreamFailure = {
  status: 502,
  code: 'truncated',
  message: 'The upstream closed the stream before the completion was complete.',
};

/** What a body that is no completion means; for a body of a chat upstream that came with status 200. */
export const failureOfBody = (body: Fields): UpstreamFailure =>
  readUpstreamFailure({
    dialect: 'chat',
    status: 200,
    headers: {},
    body: Buffer.from(JSON.stringify(body)),
  });

/**
 * The failure in an object of a stream or of a response with status 200, or undefined when it tells
 * none.
 */
export function failureIn(body: Fields): UpstreamFailure | undefined {
  const { error } = body;
  const fails =
    isFields(error) ||
    wordsOf(error) !== undefined ||
    body['object'] === 'error' ||
    body['type'] === 'error';
  return fails ? failureOfBody(body) : undefined;
}
