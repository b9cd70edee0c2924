import { describe, expect, it } from '@jest/globals';
import type { Account, Page, Task, TaskDetail, TaskPage } from '@gateway/client';
import { only } from '../../../services/console/src/gateway/pages.ts';
import { accountFits } from '../../../services/console/src/operator/account-search.ts';
import { costText, periodOf, resultsOf } from '../../../services/console/src/operator/books.ts';
import {
  callbackFilterOf,
  withState,
} from '../../../services/console/src/operator/callback-filter.ts';
import { cancelWords } from '../../../services/console/src/operator/cancel-words.ts';
import { changesOf } from '../../../services/console/src/operator/journal.ts';
import { momentsOf } from '../../../services/console/src/operator/moments.ts';
import { keyRequestOf } from '../../../services/console/src/operator/pages/account/key-request.ts';
import { operatorOptionsFor } from '../../../services/console/src/operator/palette-options.ts';
import { countOf, countText, oldestOf } from '../../../services/console/src/operator/standing.ts';
import {
  addressOf,
  fieldsOf,
  filterOf,
  taskFits,
  taskMayFit,
} from '../../../services/console/src/operator/video-filter.ts';

const video = `video_${'0'.repeat(26)}`;
const account = `acct_${'0'.repeat(26)}`;
const task = (fields: object): Task => fields as Task;
const pageOf = (data: readonly Task[], hasMore = false): TaskPage =>
  ({ data, has_more: hasMore, last_id: null }) as unknown as TaskPage;

describe('the filter of the videos of all accounts', () => {
  it.each<[string, object, object]>([
    ['', {}, {}],
    ['status=failed&model=m&provider=p', { status: 'failed', model: 'm', provider: 'p' }, {}],
    ['status=nonsense&older_than=soon&account=me&stuck=maybe', {}, {}],
    ['older_than=12h&stuck=true', { older_than: '12h', stuck: 'true' }, {}],
    [`q=${video}`, { id: video }, {}],
    [`q=${account}`, { account }, {}],
    [`q=req_1&account=${account}`, { account }, { requestId: 'req_1' }],
    ['error=vendor_error', { status: 'failed' }, { error: 'vendor_error' }],
    ['error=expired', { status: 'expired' }, { error: 'expired' }],
    ['error=vendor_error&status=queued', { status: 'queued' }, { error: 'vendor_error' }],
    ['error=__proto__', {}, {}],
  ])('asks, at ?%s, the gateway for %p and looks for %p', (search, asked, sifted) => {
    expect(filterOf(fieldsOf(new URLSearchParams(search)))).toEqual({ asked, sifted });
  });

  it('is in the address as far as it says anything', () => {
    const search = { status: 'failed', account, q: 'req_1' };

    expect(addressOf(fieldsOf(new URLSearchParams(search)))).toEqual(search);
  });

  it('finds errors and the beginning of request ids in what was read', () => {
    const broken = task({ request_id: 'req_12', error: { code: 'vendor_error' } });
    const whole = task({ request_id: 'req_2', error: null });
    const found = (sifted: object) => [broken, whole].filter(taskFits(sifted) ?? (() => true));

    expect(found({})).toEqual([broken, whole]);
    expect(found({ error: 'vendor_error' })).toEqual([broken]);
    expect(found({ requestId: 'req_2' })).toEqual([whole]);
    expect(found({ error: 'vendor_error', requestId: 'req_2' })).toEqual([]);
  });
});

describe('a video that an event tells of', () => {
  const told = task({
    id: video,
    account_id: account,
    status: 'failed',
    model: 'm',
    provider: 'p',
    request_id: 'req_1',
    error: { code: 'vendor_error' },
  });

  it.each([
    ['', true],
    ['status=failed&model=m&provider=p', true],
    [`q=${video}`, true],
    [`q=${account}&error=vendor_error`, true],
    ['q=req_1', true],
    ['stuck=true&older_than=1h', true],
    ['status=queued', false],
    ['model=other', false],
    ['provider=other', false],
    [`q=${video.slice(0, -1)}1`, false],
    [`account=${account.slice(0, -1)}1`, false],
    ['error=no_output&status=failed', false],
    ['q=req_2', false],
  ])('may belong into the list at ?%s: %p', (search, expected) => {
    expect(taskMayFit(filterOf(fieldsOf(new URLSearchParams(search))), told)).toBe(expected);
  });
});

describe('a list of which only some is shown', () => {
  const page: Page<number> = { data: [1, 2, 3], last_id: '3', has_more: true };
  const asked: unknown[] = [];
  const open = (options: object) => {
    asked.push(options);
    return { page: () => Promise.resolve(page) };
  };

  it('keeps where it goes on, and reads as much as one call can', async () => {
    const odd = only(open, (item: number) => item % 2 === 1);

    expect(await odd({ perPage: 50, after: '0' }).page()).toEqual({ ...page, data: [1, 3] });
    expect(asked).toEqual([{ perPage: 100, after: '0' }]);
  });

  it('is the list itself where all is shown', () => {
    expect(only(open, undefined)).toBe(open);
  });
});

describe('a search for accounts', () => {
  const acme = { id: account, name: 'Acme Film Studios' } as Account;

  it.each([
    ['', undefined],
    ['  ', undefined],
    ['acme', true],
    ['studio ACME', true],
    ['acme bank', false],
    ['acct_0000', true],
    ['0000', false],
  ])('%p fits: %p', (words, fits) => {
    expect(accountFits(words)?.(acme)).toBe(fits);
  });
});

describe('how many there are', () => {
  it('is a count, or at least so many where there are more', () => {
    const pages = [pageOf([task({}), task({})]), pageOf([task({})], true)];

    expect(pages.map((page) => countText(countOf(page)))).toEqual(['2', '1+']);
    expect(oldestOf(pageOf([task({ id: 'new' }), task({ id: 'old' })]))?.id).toBe('old');
  });
});

describe('the timeline of a video', () => {
  it('has everything on record in its order, and nothing that has not happened', () => {
    const at = (second: number): string => `2026-11-25T12:00:0${second}.000Z`;
    const detail = {
      hold: { quota: 500, charged_quota: null, created_at: at(0), closed_at: null },
      events: [
        { at: at(0), status: 'queued' },
        { at: at(3), status: 'running' },
      ],
      admitted_at: at(1),
      cancel_requested_at: null,
      deleted_at: null,
      tries: [
        {
          number: 1,
          provider: 'ark',
          upstream_model: 'm',
          created_at: at(2),
          accepted_at: null,
          ended_at: at(4),
          outcome: 'refused',
          detail: 'no such model',
        },
      ],
    } as unknown as TaskDetail;

    expect(momentsOf(detail).map(({ words, mood }) => `${words}: ${mood}`)).toEqual([
      'Quota held: good',
      'Queued: good',
      'Slot assigned: good',
      'Sent to vendor: good',
      'Rendering: good',
      'Try 1 ended: refused: bad',
    ]);
    expect(momentsOf(detail).map(({ note }) => note)).toEqual([
      '500 quota',
      undefined,
      undefined,
      'try 1, ark · m',
      undefined,
      'no such model',
    ]);
  });
});

describe('the end of a hold', () => {
  it.each([
    [300, 'Charged', '300 quota'],
    [0, 'Quota released', '500 quota'],
    [null, 'Quota released', '500 quota'],
  ])('that charged %p is shown as %s of %s', (charged, words, note) => {
    const hold = { quota: 500, charged_quota: charged, created_at: '1', closed_at: '2' };
    const detail = { hold, events: [], tries: [], admitted_at: null, cancel_requested_at: null };
    const moments = momentsOf({ ...detail, deleted_at: null } as unknown as TaskDetail);

    expect(moments.at(-1)).toMatchObject({ words, note });
  });
});

describe('what a cancellation is said to do', () => {
  it.each([
    [null, null, /ends at once/],
    [null, '2026-11-25T12:00:00Z', /as soon as it answers/],
    ['cgt-1', '2026-11-25T12:00:00Z', /asked to stop its task cgt-1/],
  ])('with the vendor task %p, sent at %p', (vendorTask, sentAt, words) => {
    expect(
      cancelWords({ provider: 'ark', vendor_task_id: vendorTask, submitting_at: sentAt }),
    ).toMatch(words);
  });
});

describe('the books', () => {
  it('show every invariant, the broken ones first, unknown ones too', () => {
    const violation = (invariant: string) => ({ invariant, subject: 's', detail: 'd' });
    const results = resultsOf({
      invariants: ['one', 'two'],
      violations: [violation('two'), violation('three')],
    });

    expect(results.map(({ name, violations }) => [name, violations.length])).toEqual([
      ['two', 1],
      ['three', 1],
      ['one', 0],
    ]);
  });

  it('name costs in the currencies that vendors asked them in', () => {
    const costs = [
      { currency: 'USD', cost: '1.50', exposure: '0' },
      { currency: 'CNY', cost: '3', exposure: '0.2' },
    ];

    expect(costText(costs, 'cost')).toBe('1.50 USD, 3 CNY');
    expect(costText(costs, 'exposure')).toBe('0.2 CNY');
    expect(costText([], 'cost')).toBe('–');
  });

  it('are of whole days that end today', () => {
    expect(periodOf('7', Date.parse('2026-03-02T23:59:59Z'))).toEqual({
      from: '2026-02-24',
      to: '2026-03-02',
    });
  });
});

describe('a form of a key', () => {
  it.each([
    ['', '', { models: null, requests_per_minute: null }],
    [' a, b,,a ', '60', { models: ['a', 'b'], requests_per_minute: 60 }],
  ])('with the models %p and the rate %p asks for %p', (models, rate, asked) => {
    expect(keyRequestOf({ name: ' farm ', scopes: ['text'], models, rate })).toEqual({
      name: 'farm',
      scopes: ['text'],
      ...asked,
    });
  });
});

describe('the palette of an operator', () => {
  it.each<[string, string[]]>([
    ['book', ['/operator/books']],
    [video, [`/operator/videos/${video}`]],
    [account, [`/operator/accounts/${account}`]],
    ['nothing like it', []],
  ])('leads from %p to %p', (words, paths) => {
    expect(operatorOptionsFor(words).map(({ path }) => path)).toEqual(paths);
  });
});

describe('the filter of the callbacks of all accounts', () => {
  it.each<[string, object]>([
    ['', {}],
    [`state=failing&account=${account}`, { state: 'failing', account }],
    ['state=lost&account=me', {}],
  ])('asks, at ?%s, the gateway for %p', (search, asked) => {
    expect(callbackFilterOf(new URLSearchParams(search))).toEqual(asked);
  });

  it('keeps the account when the state changes', () => {
    const search = new URLSearchParams({ account, state: 'failing' });

    expect(withState(search, 'stopped').toString()).toBe(`account=${account}&state=stopped`);
    expect(withState(search, undefined).toString()).toBe(`account=${account}`);
  });
});

it('an entry of the journal says what was asked for, field by field', () => {
  expect(changesOf({ suspended: true, active_videos_limit: null, name: 'Acme' })).toEqual([
    ['suspended', 'true'],
    ['active videos limit', 'null'],
    ['name', 'Acme'],
  ]);
});
