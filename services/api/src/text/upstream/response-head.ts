import type { IncomingHttpHeaders } from 'node:http';

export interface ResponseHead {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

/** Some servers do not say what they send. */
export const mayBeEvents = (head: ResponseHead): boolean =>
  head.headers['content-type'] === undefined || isEventStream(head);

const isEventStream = ({ headers }: ResponseHead): boolean =>
  /^text\/event-stream/i.test(headers['content-type'] ?? '');

/** Responses are asked for uncompressed; some servers compress them all the same. */
export const isEncoded = ({ headers }: ResponseHead): boolean =>
  !['', 'identity'].includes((headers['content-encoding'] ?? '').trim().toLowerCase());
