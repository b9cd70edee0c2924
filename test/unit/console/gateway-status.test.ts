import { describe, expect, it } from '@jest/globals';
import type { ProviderStatus, Replica } from '@gateway/client';
import {
  exposureCostText,
  exposureFilterOf,
  withKind,
} from '../../../services/console/src/operator/exposures.ts';
import {
  breakerMarkOf,
  failureCountOf,
  failuresOf,
  ofAllowed,
  refusedVersionsOf,
  versionsInForce,
  workMarkOf,
  workNameOf,
} from '../../../services/console/src/operator/gateway-status.ts';

describe('a circuit breaker', () => {
  it.each([
    ['closed', 'good', 'closed'],
    ['half_open', 'waiting', 'half open'],
    ['open', 'bad', 'open'],
    [null, 'over', 'not known'],
  ] as const)('that is %p has the mood %s and reads “%s”', (state, mood, word) => {
    expect(breakerMarkOf(state)).toEqual({ mood, word });
  });
});

describe('what is used of what is allowed', () => {
  it.each([
    [4, 10, '4 of 10'],
    [0.25, 1_200, '0.25 of 1,200'],
    [null, 20, '– of 20'],
    [3, null, '3 of –'],
  ])('%p and %p reads “%s”', (used, allowed, text) => {
    expect(ofAllowed(used, allowed)).toBe(text);
  });
});

describe('the failures of the last hour', () => {
  const failure = (outcome: string, count: number, minute: number) => ({
    outcome,
    count,
    last_at: `2026-11-25T12:0${minute}:00.000Z`,
    detail: null,
  });
  const provider = (name: string, failures: ProviderStatus['failures']) =>
    ({ provider: name, failures }) as ProviderStatus;
  const ark = provider('ark', [failure('busy', 2, 1), failure('refused', 3, 5)]);
  const kling = provider('kling', [failure('busy', 1, 3)]);

  it('are those of all providers, the newest first', () => {
    expect(failuresOf([ark, kling]).map((each) => [each.provider, each.outcome])).toEqual([
      ['ark', 'refused'],
      ['kling', 'busy'],
      ['ark', 'busy'],
    ]);
  });

  it('are counted for each provider', () => {
    expect([ark, kling, provider('none', [])].map(failureCountOf)).toEqual([5, 1, 0]);
  });
});

describe('work that is due', () => {
  it.each([
    [0, 0, 'on time'],
    [3, 59.9, 'in progress'],
    [3, 60, 'late'],
  ])('%i of it, the oldest for %p s, is %s', (due, seconds, word) => {
    expect(workMarkOf({ work: 'push', due, oldest_seconds: seconds }).word).toBe(word);
  });

  it('has a name, its own where these pages know none', () => {
    const names = ['push', 'something-new'].map((work) =>
      workNameOf({ work, due: 0, oldest_seconds: 0 }),
    );

    expect(names).toEqual(['Callbacks', 'something-new']);
  });
});

describe('the configuration of replicas', () => {
  const refused = { hash: 'bad', at: '2026-11-25T12:00:00.000Z', problems: ['line 3: no'] };
  const replica = (service: string, hash: string, isRefusing = false) =>
    ({
      service,
      configuration: { hash, generation: 1, since: '', refused: isRefusing ? refused : null },
    }) as Replica;
  const without = { service: 'billing', configuration: null } as Replica;

  it('that was refused is told once a version, with who refused it', () => {
    const replicas = [replica('api', 'a', true), replica('api', 'a', true), without];

    expect(refusedVersionsOf([...replicas, replica('video-worker', 'a', true)])).toEqual([
      { ...refused, services: ['api', 'video-worker'] },
    ]);
    expect(refusedVersionsOf([replica('api', 'a'), without])).toEqual([]);
  });

  it('that is in force is each version that some replica works with', () => {
    expect(versionsInForce([replica('api', 'a'), replica('api', 'a'), without])).toEqual(['a']);
    expect(versionsInForce([replica('api', 'a'), replica('api', 'b')])).toEqual(['a', 'b']);
  });
});

describe('exposures', () => {
  it.each<[string, object]>([
    ['', {}],
    ['kind=orphan&days=7', { kind: 'orphan' }],
    ['kind=__proto__', {}],
  ])('at ?%s are asked for with %p', (search, filter) => {
    expect(exposureFilterOf(new URLSearchParams(search))).toEqual(filter);
  });

  it('of another kind leave the rest of the address as it is', () => {
    const search = new URLSearchParams('days=7&kind=orphan');

    expect(withKind(search, 'watch_ended').toString()).toBe('days=7&kind=watch_ended');
    expect(withKind(search, '').toString()).toBe('days=7');
  });

  it.each([
    ['0.35', 'USD', '0.35 USD'],
    [null, null, 'not known'],
  ])('that cost %p %p cost “%s”', (cost, currency, text) => {
    expect(exposureCostText({ vendor_cost: cost, vendor_currency: currency })).toBe(text);
  });
});
