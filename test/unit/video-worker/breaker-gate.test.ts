import { describe, expect, it } from '@jest/globals';
import type { RouteFailure, VendorBreakers, VendorPermit } from '@gateway/limits';
import type { ServingOutcome, SubmitOutcome } from '@gateway/video-providers';
import {
  breakerNameOf,
  createBreakerGate,
} from '../../../services/video-worker/src/adapters/breaker-gate.ts';
import { aTask } from '../contracts/samples.ts';

const name = 'ark http://vendor 0123';
const task = aTask();
const signal = new AbortController().signal;

type Report = 'succeeded' | RouteFailure | 'end';

function open({
  verdict = 'granted',
  isProbe = false,
  configured = name,
  asked,
}: {
  verdict?: 'granted' | 'open' | 'wait';
  isProbe?: boolean;
  configured?: string;
  asked?: () => Promise<ServingOutcome>;
}) {
  const reports: Report[] = [];
  const unanswered: string[] = [];
  const refused: string[] = [];
  const permit = (): VendorPermit =>
    verdict === 'granted'
      ? {
          kind: 'granted',
          isProbe,
          succeeded: () => reports.push('succeeded'),
          failed: (failure) => reports.push(failure),
          end: () => reports.push('end'),
        }
      : { kind: verdict };
  const gate = createBreakerGate({
    vendors: {
      judge: () => (verdict === 'granted' ? 'go' : verdict),
      enter: permit,
      unanswered: (vendor: string) => unanswered.push(vendor),
    } as unknown as VendorBreakers,
    vendorOf: () => ({ breaker: name, provider: asked === undefined ? {} : { askServing: asked } }),
    breakerBefore: () => configured,
    onRefused: (provider) => refused.push(provider),
    random: () => 0,
  });
  return { gate, reports, refused, unanswered };
}

const serving = (): Promise<ServingOutcome> => Promise.resolve({ kind: 'serving' });
const notServing = (): Promise<ServingOutcome> =>
  Promise.resolve({ kind: 'not_serving', detail: '503' });
const silent = (): Promise<ServingOutcome> =>
  Promise.resolve({ kind: 'unanswered', detail: 'ETIMEDOUT' });

describe('the gate before a vendor', () => {
  it.each([
    ['go', 'granted', name, undefined],
    ['go back into the queue while it is open', 'open', name, { kind: 'back_in_queue' }],
    ['wait a moment behind others', 'wait', name, { kind: 'wait', afterMs: 250 }],
    [
      'wait with its slot where the address is not the configured one: the queue is another one’s',
      'open',
      'ark http://moved 0123',
      { kind: 'wait', afterMs: 5_000, isOpen: true },
    ],
  ] as const)('lets a task %s', async (_name, verdict, configured, hindrance) => {
    const { gate, refused } = open({ verdict, configured });

    expect(gate.hindrance(task)).toEqual(hindrance);
    expect(refused).toEqual(verdict === 'open' ? [task.vendor.provider] : []);
    if (hindrance === undefined) return;
    expect(await gate.enter(task, signal)).toEqual(hindrance);
  });

  it('asks the vendor before a probe, and only then', async () => {
    let questions = 0;
    const asked = (): Promise<ServingOutcome> => {
      questions += 1;
      return serving();
    };
    await open({ asked }).gate.enter(task, signal);
    expect(questions).toBe(0);

    expect((await open({ asked, isProbe: true }).gate.enter(task, signal)).kind).toBe('granted');
    expect(questions).toBe(1);
  });

  it('costs no task when the vendor does not respond to the question', async () => {
    const { gate, reports } = open({ isProbe: true, asked: notServing });

    expect(await gate.enter(task, signal)).toEqual({ kind: 'back_in_queue' });
    expect(reports).toEqual([{ of: 'everybody' }, 'end']);
  });

  it('says nothing about the vendor when the process ends in the middle of the question', async () => {
    const { gate, reports } = open({ isProbe: true, asked: notServing });

    await gate.enter(task, AbortSignal.abort());

    expect(reports).toEqual(['end']);
  });

  it('gives the probe back when the question throws', async () => {
    const { gate, reports } = open({
      isProbe: true,
      asked: () => Promise.reject(new Error('a fault of ours')),
    });

    await expect(gate.enter(task, signal)).rejects.toThrow('a fault of ours');
    expect(reports).toEqual(['end']);
  });

  it.each([
    ['that serves', serving, signal, []],
    ['that does not respond', silent, signal, [name]],
    ['that refuses the question', notServing, signal, []],
    ['while the process ends', silent, AbortSignal.abort(), []],
    ['of which every question costs something', undefined, signal, []],
  ] as const)('inquires after a vendor %s', async (_what, asked, during, expected) => {
    const { gate, unanswered } = open(asked === undefined ? {} : { asked });

    await gate.inquire(task, during);

    expect(unanswered).toEqual(expected);
  });

  it('does not inquire while the breaker is open', async () => {
    const { gate, unanswered } = open({ verdict: 'open', asked: silent });

    await gate.inquire(task, signal);

    expect(unanswered).toEqual([]);
  });

  it.each<[string, SubmitOutcome, Report]>([
    ['accepted', { kind: 'accepted', vendorTaskId: '1' }, 'succeeded'],
    ['not sent', { kind: 'not_sent', detail: 'x' }, { of: 'everybody' }],
    [
      'met by a page',
      { kind: 'unavailable', cause: 'page', detail: 'x' },
      { of: 'account', once: task.id },
    ],
  ])('reports a submission that was %s', async (_name, outcome, report) => {
    const { gate, reports } = open({});
    const permit = await gate.enter(task, signal);
    if (permit.kind !== 'granted') throw new Error(permit.kind);

    permit.report(outcome);
    permit.end();

    expect(reports).toEqual([report, 'end']);
  });
});

describe('the name of a breaker', () => {
  it('tells addresses and keys of a provider apart, and holds no key', () => {
    const provider = { name: 'ark', baseUrl: 'http://vendor', apiKey: 'secret-key' };
    const names = [
      provider,
      { ...provider, baseUrl: 'http://other' },
      { ...provider, apiKey: 'another-key' },
    ].map(breakerNameOf);

    expect(new Set(names).size).toBe(3);
    expect(names.join()).not.toContain('key');
  });
});
