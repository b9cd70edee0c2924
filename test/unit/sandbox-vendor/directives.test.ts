import { describe, expect, it } from '@jest/globals';
import {
  directiveList,
  directiveTable,
  parseDirectives,
  pollResponse,
} from '../../../services/sandbox-vendor/src/tasks/directives.ts';

describe('reading directives from a prompt', () => {
  it.each([
    ['A fox in the snow', {}],
    ['[fail]', { fail: 1 }],
    ['A fox [slow=2.5] in the snow [no-output]', { slow: 2.5, 'no-output': 1 }],
    ['[poll-errors=0]', { 'poll-errors': 0 }],
    ['[actual=3][actual=7]', { actual: 7 }],
    ['[Fail] [failure] [see note] [x=1] fail', {}],
    ['[toString] [constructor]', {}],
    ['[moderate] is not [moderate-input]', { moderate: 1, 'moderate-input': 1 }],
  ])('finds in %j', (prompt, directives) => {
    expect(parseDirectives(prompt)).toEqual({ directives });
  });

  it.each([
    ['[slow]', 'write [slow=SECONDS] with seconds from 0 to 86400'],
    ['[slow=soon]', 'write [slow=SECONDS]'],
    ['[slow=-1]', 'write [slow=SECONDS]'],
    ['[actual=61]', 'write [actual=SECONDS] with seconds from 0.5 to 60'],
    ['[poll-errors=1.5]', 'write [poll-errors=N] with count from 0 to 1000'],
    ['[fail=2]', 'write [fail]'],
    ['[claim=2.5]', 'with whole seconds'],
  ])('says what is wrong with %s', (prompt, problem) => {
    expect(parseDirectives(`text ${prompt} text`).problem).toContain(problem);
  });

  it('lists every directive as it is written, with a description', () => {
    const list = directiveList();

    expect(list).toHaveLength(Object.keys(directiveTable).length);
    expect(list.map(({ directive }) => directive)).toEqual(
      expect.arrayContaining([
        '[fail]',
        '[moderate]',
        '[slow=SECONDS]',
        '[expire]',
        '[lose-answer]',
        '[poll-errors=N]',
        '[no-output]',
        '[actual=SECONDS]',
        '[reject]',
      ]),
    );
    for (const { description } of list) expect(description.length).toBeGreaterThan(10);
  });
});

describe('what a poll of a task gets', () => {
  it.each([
    [{}, ['task', 'task']],
    [{ 'poll-errors': 4 }, ['status_500', 'status_502', 'truncated', 'status_500', 'task']],
    [{ 'missing-polls': 2 }, ['missing', 'missing', 'task']],
    [
      { 'missing-polls': 1, 'poll-errors': 1, 'odd-status': 1 },
      ['missing', 'status_500', 'odd_status', 'task'],
    ],
  ])('is by %j %j', (directives, responses) => {
    expect(responses.map((_response, index) => pollResponse(directives, index + 1))).toEqual(
      responses,
    );
  });
});
