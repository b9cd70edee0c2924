import type { Task } from '@gateway/contracts';
import { errorCatalogue, GatewayError, isTerminal, type ErrorCode } from '@gateway/domain';
import { callAcross, type Target } from '../world/network.ts';
import type { ApiFace, Order } from './api.ts';
import type { Replica, Surroundings } from './surroundings.ts';

/** What one customer knows of one order. */
export interface Experience {
  readonly order: Order;
  /** Tasks that the api said it had created for this order. */
  readonly taskIds: Set<string>;
  readonly seen: { readonly status: Task['status']; readonly billed: number | null }[];
  /** The api said that the task is cancelled. */
  wasToldCancelled: boolean;
  /** When the api said that the task is deleted. */
  deletedAt: number | undefined;
  isDone: boolean;
}

const requestTimeoutMs = 15_000;
/** A customer without an answer asks so many times, and then goes away. */
const mostAttempts = 12;

/** One order from its creation to what the customer does with it in the end. */
export async function placeOrder(
  surroundings: Surroundings,
  apis: readonly Replica<ApiFace>[],
  experience: Experience,
): Promise<void> {
  const { world, promised } = surroundings;
  const { dice } = world;
  const { order } = experience;
  const ask = askerOf(surroundings, apis);
  const created = await ask((api) => api.create(order), {
    // Without a key nobody can ask twice, and no proxy does.
    attempts: order.idempotencyKey === undefined ? 1 : mostAttempts,
    isRepeatable: order.idempotencyKey !== undefined,
    onAnswer: ({ task }) => experience.taskIds.add(task.id),
  });
  if (created === undefined) return;
  const { id } = created.task;
  if (dice.chance(0.3)) {
    await world.pause(dice.between(0, promised.cancelMs));
    const cancelled = await ask((api) => api.cancel(id, order.accountId), { attempts: 3 });
    experience.wasToldCancelled = cancelled?.status === 'cancelled';
  }
  if (!(await watch(id))) return;
  if (dice.chance(promised.deletedShare)) {
    await world.pause(dice.between(0, 20_000));
    await ask((api) => api.remove(id, order.accountId), {
      attempts: mostAttempts,
      onAnswer: () => {
        experience.deletedAt = world.now();
      },
    });
  }

  /** Reads the task until it is over. */
  async function watch(taskId: string): Promise<boolean> {
    for (let read = 0; read < 400; read += 1) {
      const answer = await ask(
        (api) => api.read(taskId, order.accountId).then((task) => ({ task })),
        { attempts: 1 },
      );
      if (answer !== undefined) {
        const { task } = answer;
        // A 404: nothing will come of it.
        if (task === undefined) return false;
        experience.seen.push({ status: task.status, billed: task.billed?.quota ?? null });
        if (isTerminal(task.status)) return true;
      }
      await world.pause(dice.between(...promised.lookMs));
    }
    return false;
  }
}

interface Asking<Result> {
  readonly attempts: number;
  readonly isRepeatable?: boolean;
  readonly onAnswer?: (result: Result) => void;
}

/** Asks any replica, again after what may be repeated; undefined when there was no good answer. */
function askerOf({ world, weather }: Surroundings, apis: readonly Replica<ApiFace>[]) {
  return async <Result>(
    what: (api: ApiFace) => Promise<Result>,
    { attempts, isRepeatable = true, onAnswer }: Asking<Result>,
  ): Promise<Result | undefined> => {
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      const choose = (): Target<Result> => {
        const api = world.dice.pick(apis);
        return { life: api.life(), serve: () => what(api.face()) };
      };
      try {
        const result = await callAcross(world, choose, {
          weather,
          timeoutMs: requestTimeoutMs,
          isRepeatable,
        });
        onAnswer?.(result);
        return result;
      } catch (error) {
        world.trace.say(`a customer is told: ${wordsOf(error)}`);
        if (GatewayError.is(error) && isFinal(error.code)) return undefined;
        await world.pause(world.dice.between(500, 6_000));
      }
    }
    return undefined;
  };
}

const wordsOf = (error: unknown): string =>
  GatewayError.is(error) ? error.code : (error as Error).message;

/** Asking again would change nothing. */
const isFinal = (code: ErrorCode): boolean => {
  const { status } = errorCatalogue[code];
  return status < 500 && status !== 429;
};
