import { describe, expect, it } from '@jest/globals';
import type { SubmitOutcome } from '@gateway/video-providers';
import { evidenceOf } from '../../../services/video-worker/src/use-cases/judge-submission.ts';

const detail = 'x';
const outcomes: readonly (readonly [string, SubmitOutcome, ReturnType<typeof evidenceOf>])[] = [
  ['an acceptance', { kind: 'accepted', vendorTaskId: '1' }, 'serves'],
  ['a refusal of the request', { kind: 'refused', failure: 'invalid_request', detail }, 'serves'],
  [
    'a refusal of what the request shows',
    { kind: 'refused', failure: 'content_policy', detail },
    'serves',
  ],
  ['a rate limit', { kind: 'busy', detail }, 'serves'],
  ['a model that is not there', { kind: 'unavailable', cause: 'model', detail }, 'serves'],
  ['a page', { kind: 'unavailable', cause: 'page', detail }, 'fails'],
  ['a refused credential', { kind: 'unavailable', cause: 'account', detail }, 'fails'],
  ['a response that was lost, or a 5xx', { kind: 'unknown', detail }, 'fails'],
  ['no connection', { kind: 'not_sent', detail }, 'away'],
];

describe('what a submission says about the vendor', () => {
  it.each(outcomes)('%s', (_name, outcome, evidence) => {
    expect(evidenceOf(outcome)).toBe(evidence);
  });
});
