import { isOwn } from '../own-response.ts';
import type { VendorResponse } from '../http.ts';
import { classIn, type ClassTable, type ErrorFormat, type VendorError } from '../refusal.ts';
import { readCode, readRecord, readText, type UncheckedRecord } from '../vendor-value.ts';

/** Of the code and the sentence together, first match wins: either may be a word or a sentence. */
const classOfText: ClassTable = [
  [/moderat|content[ -]?policy|safety/i, 'moderation'],
  [/api key|\bcredits?\b|spending limit|permission|unauthenticated|unauthorized/i, 'account'],
  [/\bmodel\b.*\b(?:not found|does not exist|not available)/i, 'model'],
  [/rate limit|too many requests|resource[ -]exhausted/i, 'busy'],
  [/invalid[ -]argument|invalid[ -]request|unprocessable/i, 'invalid'],
  [/\binternal\b|service unavailable/i, 'vendor'],
];

/** `{code,error}` of a response; in a task, `error` is an object with `code` and `message`. */
function readError(body: UncheckedRecord | undefined): VendorError | undefined {
  const inner = readRecord(body?.['error']);
  const code = readCode(inner?.['code'] ?? body?.['code']);
  const message = readText(inner?.['message']) ?? readText(body?.['error']);
  return message === undefined ? undefined : { code, message };
}

export const errorFormat: ErrorFormat = {
  errorShapes: [
    { code: 'text', error: 'text' },
    { error: { code: 'code', message: 'text' }, status: 'text' },
  ],
  readError,
  classOfError: (error) => {
    const text = `${error?.code ?? ''} ${error?.message ?? ''}`;
    return classIn(classOfText, text);
  },
};

/** The vendor's own error, and not a page of something in front of it. */
export const ownError = (response: VendorResponse): VendorError | undefined =>
  isOwn(response, errorFormat.errorShapes) ? readError(readRecord(response.json)) : undefined;
