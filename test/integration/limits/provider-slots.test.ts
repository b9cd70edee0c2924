import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Slot } from '@gateway/limits';
import { createMetrics } from '@gateway/runtime';
import { eventually } from '@gateway/testing';
import {
  createProviderSlots,
  type ProviderSlots,
} from '../../../services/api/src/text/turns/index.ts';
import { openDeployment, type Deployment } from './replicas.ts';

let deployment: Deployment;
beforeEach(() => {
  deployment = openDeployment();
});
afterEach(() => deployment.close());

const limit = 4;

interface Api {
  readonly provider: ProviderSlots;
  /** Slots that accounts hold here. */
  readonly held: { readonly account: string; readonly slot: Slot }[];
  /** Waits for a slot, for an account. */
  want(account: string): void;
  end(): void;
}

async function anApi(queueMs = 60_000): Promise<Api> {
  const { slots } = await deployment.replica();
  const provider = createProviderSlots({ slots, metrics: createMetrics('api'), queueMs });
  const held: { account: string; slot: Slot }[] = [];
  return {
    provider,
    held,
    want(account) {
      const request = { abandon: () => undefined };
      void provider.wait(request, { provider: 'one', limit, account }).then((outcome) => {
        if (outcome.kind === 'slot') held.push({ account, slot: outcome.slot });
      });
    },
    end() {
      const oldest = held.shift();
      if (oldest !== undefined) provider.release('one', oldest.account, oldest.slot);
    },
  };
}

describe('slots of a provider over two replicas', () => {
  it('reach a replica that wants some while the other has a queue that never ends', async () => {
    const [first, second] = [await anApi(), await anApi()];
    for (let each = 0; each < 40; each += 1) first.want('hostile');
    await eventually(() => {
      expect(first.held).toHaveLength(limit);
    });

    for (let each = 0; each < 5; each += 1) second.want('victim');
    let ended = 0;
    await eventually(
      () => {
        if (second.held.length < 2 && ended < 30 && first.held.length + second.held.length >= 3) {
          first.end();
          ended += 1;
        }
        expect(first.held.length + second.held.length).toBeLessThanOrEqual(limit);
        expect(second.held.length).toBeGreaterThanOrEqual(2);
      },
      { withinMs: 20_000 },
    );
  });

  it('that end in one replica serve the other, where nobody waits any more', async () => {
    const [first, second] = [await anApi(), await anApi()];
    for (let each = 0; each < limit; each += 1) first.want('one');
    await eventually(() => {
      expect(first.held).toHaveLength(limit);
    });
    second.want('two');

    first.end();

    await eventually(() => {
      expect(second.held).toHaveLength(1);
    });
  });
});

describe('a newcomer', () => {
  it('does not pass those who wait, even while slots are free', async () => {
    const { provider, want, held } = await anApi();

    want('one');
    // Its slot is asked for, and three more are free.
    expect(await provider.take('one', limit, 'two')).toBeUndefined();

    await eventually(() => {
      expect(held).toHaveLength(1);
    });
    expect(await provider.take('one', limit, 'two')).toBeDefined();
  });
});
