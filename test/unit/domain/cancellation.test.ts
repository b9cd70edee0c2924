import { describe, expect, it } from '@jest/globals';
import { cancelPathAt, stepsWhereCancel, taskSteps } from '@gateway/domain';

describe('a wish to cancel', () => {
  it('comes at each step to this', () => {
    expect(Object.fromEntries(taskSteps.map((step) => [step, cancelPathAt(step)]))).toEqual({
      submit: 'end',
      submitting: 'carry_on',
      poll: 'ask',
      ingest: 'refuse',
      late: 'refuse',
      done: 'refuse',
    });
  });

  it('ends a task at once only where no vendor can have it, and is worth noting until the video is made', () => {
    expect([stepsWhereCancel('end'), stepsWhereCancel('end', 'carry_on', 'ask')]).toEqual([
      ['submit'],
      ['submit', 'submitting', 'poll'],
    ]);
  });
});
