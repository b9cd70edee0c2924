import { GatewayError } from '@gateway/domain';
import type { AskForLeases } from '../../../services/api/src/adapters/lease-calls.ts';
import type { CreateVideoPorts } from '../../../services/api/src/use-cases/create-video.ts';
import type { Life } from '../world/life.ts';
import { callAcross, type Target } from '../world/network.ts';
import type { BillingFace } from './billing.ts';
import type { Replica, Surroundings } from './surroundings.ts';

/** As the api's client for billing: one attempt's time, and how many more there are. */
const timeoutMs = 3_000;
const attempts = 3;

/** Billing as one life of the api reaches it: any replica, over a network that loses things. */
export function createBillingCalls(
  { world, weather }: Surroundings,
  life: Life,
  billing: readonly Replica<BillingFace>[],
): Pick<CreateVideoPorts, 'takeHold' | 'releaseHold'> & { readonly settleLeases: AskForLeases } {
  const askOnce = <Result>(
    ask: (face: BillingFace, signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> => {
    const calling = new AbortController();
    const choose = (): Target<Result> => {
      const replica = world.dice.pick(billing);
      return { life: replica.life(), serve: () => ask(replica.face(), calling.signal) };
    };
    return callAcross(world, choose, { weather, timeoutMs }).catch((error: unknown) => {
      // It sees that nobody waits any more.
      calling.abort();
      throw error;
    });
  };
  const ask = async <Result>(
    what: (face: BillingFace, signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await askOnce(what);
      } catch (error) {
        if (GatewayError.is(error)) throw error;
        if (attempt === attempts) {
          throw new GatewayError('billing_unavailable', 'billing does not respond');
        }
      }
    }
  };
  return {
    takeHold: (request) => life.within(ask((face, signal) => face.takeHold(request, signal))),
    releaseHold: (taskId) =>
      life.within(ask((face) => face.releaseHold(taskId))).catch(() => false),
    // Asked by a timer, which may outlive its process.
    settleLeases: (request) =>
      life.isAlive()
        ? life.within(ask((face) => face.settleLeases(request)))
        : new Promise(() => undefined),
  };
}
