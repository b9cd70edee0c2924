import { describe, expect, it } from '@jest/globals';
import type { TextModel, UsageRecord } from '@gateway/contracts';
import { createOpenItems, type OpenItems } from '@gateway/runtime';
import type { Usage } from '@gateway/text-dialects';
import type { TextRequest } from '../../../../services/api/src/text/request/text-request.ts';
import { usageRecordOf } from '../../../../services/api/src/text/record/usage-record.ts';
import type { OpenCompletion } from '../../../../services/api/src/text/client/open-completions.ts';
import { createUsageSoFar } from '../../../../services/api/src/text/record/usage-so-far.ts';

interface Scene {
  nowMs: number;
  /** What a look at the clock costs. */
  stepMs: number;
}

interface Running {
  usage: Usage | null;
  outputBytes: number;
  estimates: number;
  estimate: () => number;
  readonly response: OpenCompletion;
}

const model = { name: 'm' } as unknown as TextModel;

function running({ startedMs = 0, attempts = 1 } = {}): Running {
  const request = {
    facts: {
      attempts,
      caller: { accountId: 'acct_x', keyId: 'key_x' },
      provider: 'p',
      upstreamModel: 'up-m',
      upstreamDialect: 'messages',
      stream: true,
      failed: false,
    },
    path: { dialect: 'messages' },
    response: { statusCode: 200 },
    requestId: 'req_x',
    startedMs,
    startedAtMs: 0,
    clientGone: false,
  } as unknown as TextRequest;
  const one: Running = {
    usage: null,
    outputBytes: 0,
    estimates: 0,
    estimate: () => 25,
    response: {
      request,
      stream: true,
      place: -1,
      abandon: () => undefined,
      wanted: {
        model,
        body: {
          sizeBytes: 401,
          estimate: () => {
            one.estimates += 1;
            return one.estimate();
          },
        },
      } as unknown as OpenCompletion['wanted'],
      clientStream: {
        usageSoFar: () => ({ usage: one.usage, outputBytes: one.outputBytes }),
      } as unknown as OpenCompletion['clientStream'],
    },
  };
  return one;
}

function openNow(running: readonly Running[]): OpenItems<OpenCompletion> {
  const open = createOpenItems<OpenCompletion>();
  for (const { response } of running) open.add(response);
  return open;
}

function aLook() {
  const scene: Scene = { nowMs: 0, stepMs: 0 };
  const kept: UsageRecord[][] = [];
  const deferred: (() => void)[] = [];
  const usageSoFar = createUsageSoFar({
    nowMs: () => (scene.nowMs += scene.stepMs),
    defer: (work) => {
      deferred.push(work);
    },
    keep: (records) => {
      kept.push([...records]);
    },
    sliceMs: 5,
  });
  /** What the first slice of a round returns. */
  const lookAt = (nowMs: number, ...open: Running[]) => {
    scene.nowMs = nowMs;
    usageSoFar(openNow(open));
    return kept.splice(0).flat();
  };
  return { scene, lookAt, usageSoFar, kept, deferred };
}

describe('the usage so far of text requests that run', () => {
  it('is left alone for the first second, and while no upstream was asked', () => {
    const { lookAt } = aLook();

    expect(lookAt(5_000, running({ startedMs: 4_000 }), running({ attempts: 0 }))).toEqual([]);
  });

  it('is what would be recorded if the gateway ended now', () => {
    const { lookAt } = aLook();
    const one = running();
    one.outputBytes = 41;

    expect(lookAt(2_000, one)).toMatchObject([
      {
        id: expect.stringMatching(/^usage_/),
        account_id: 'acct_x',
        model: 'm',
        outcome: 'aborted',
        status: 200,
        estimated: true,
        input_tokens: 25,
        output_tokens: 13,
        cost_nano: '0',
      },
    ]);
  });

  it('is what the upstream reported where it did, and more output where more went through', () => {
    const { lookAt } = aLook();
    const one = running();
    one.usage = {
      inputTokens: 7,
      cachedInputTokens: 3,
      cacheWriteTokens: 2,
      outputTokens: 1,
      reasoningTokens: 0,
      estimated: false,
    };
    one.outputBytes = 40;

    expect(lookAt(2_000, one)).toMatchObject([
      {
        input_tokens: 7,
        cached_input_tokens: 3,
        cache_write_tokens: 2,
        output_tokens: 13,
        estimated: true,
      },
    ]);
    expect(one.estimates).toBe(0);
  });

  it('is told again only when it changed, under the id that the final record has', () => {
    const { lookAt } = aLook();
    const one = running();
    const [first] = lookAt(2_000, one);

    expect(lookAt(3_000, one)).toEqual([]);
    one.outputBytes = 8;
    expect(lookAt(4_000, one)).toMatchObject([{ id: first?.id, output_tokens: 3 }]);
    one.response.request.facts.attempts = 2;
    one.response.request.facts.provider = 'other';
    expect(lookAt(5_000, one)).toMatchObject([{ id: first?.id, provider: 'other' }]);
    expect(usageRecordOf(one.response.request, model)).toMatchObject({
      id: first?.id,
      outcome: 'succeeded',
    });
  });

  it('has its prompt counted once', () => {
    const { lookAt } = aLook();
    const one = running();

    for (const second of [2, 3, 4]) {
      one.outputBytes = second * 100;
      expect(lookAt(second * 1_000, one)).toMatchObject([{ input_tokens: 25 }]);
    }

    expect(one.estimates).toBe(1);
  });

  it('is told from the length of a prompt that cannot be counted', () => {
    const { lookAt } = aLook();
    const one = running();
    one.estimate = () => {
      throw new TypeError('not iterable');
    };

    expect(lookAt(2_000, one)).toMatchObject([{ input_tokens: 126 }]);
  });

  it('is looked at once a second, however often the ticker comes', () => {
    const { lookAt } = aLook();
    const one = running();

    const told = Array.from({ length: 30 }, (_unused, index) => {
      one.outputBytes += 400;
      return lookAt(2_000 + index * 100, one).length;
    });

    expect(told.reduce((sum, each) => sum + each)).toBe(4);
  });

  it('lets the streams have their turn when a round takes long, and leaves out what ended meanwhile', () => {
    const { scene, usageSoFar, kept, deferred } = aLook();
    const many = Array.from({ length: 7 }, () => running());
    const open = openNow(many);
    scene.nowMs = 2_000;
    scene.stepMs = 2;

    usageSoFar(open);
    expect(kept.map(({ length }) => length)).toEqual([3]);
    for (const { response } of many.filter(({ estimates }) => estimates === 0).slice(0, 2)) {
      open.remove(response);
    }
    // Not a second round beside the first.
    scene.nowMs = 4_000;
    usageSoFar(open);
    expect(deferred).toHaveLength(1);
    deferred[0]!();
    deferred[1]!();

    expect(kept.map(({ length }) => length)).toEqual([3, 2, 0]);
    expect(new Set(kept.flat().map(({ id }) => id)).size).toBe(5);
    expect(deferred).toHaveLength(2);
  });

  it('is asked for in every round, for the lease of what was told before', () => {
    const { usageSoFar, kept } = aLook();

    usageSoFar(openNow([]));

    expect(kept).toEqual([[]]);
  });
});
