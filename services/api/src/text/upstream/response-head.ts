import type { IncomingHttpHeaders } from 'node:http';

export interface Head {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

/** Some servers do not say what they send. */
export const mayBeEvents = (head: Head): boolean =>
  head.headers['content-type'] === undefined || isEventStream(head);

export const isEventStream = ({ headers }: Head): boolean =>
  /^text\/event-stream/i.test(headers['content-type'] ?? '');

/** Answers are asked for as they are; some servers compress them all the same. */
export const isEncoded = ({ headers }: Head): boolean =>
  !['', 'identity'].includes((headers['content-encoding'] ?? '').trim().toLowerCase());
