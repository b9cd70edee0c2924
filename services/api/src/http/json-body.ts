import type { Request, RequestHandler, Response } from 'express';
import type { Slots } from '@gateway/limits';
import { hasBody, turnAway, type Bodies, type JsonBody } from '../bodies/index.ts';
import { requireSlot, type Caller } from '../use-cases/authenticate.ts';
import { uncount } from './admission.ts';

export interface BodyRoutesOptions {
  readonly bodies: Pick<Bodies, 'readJson'>;
  readonly slots: Slots;
  /** That a key may have at once, those of the text lane among them. */
  readonly concurrentRequests: () => number;
  readonly timeoutMs: number;
}

/** A handler of a route, with the body that its request had. */
export type WithBody = (request: Request, response: Response, body: JsonBody) => Promise<void>;

export interface BodyRoutes {
  /**
   * Reads a JSON body, after the key was found good and has a slot left, and keeps its memory for as
   * long as the handler works.
   */
  json(limitBytes: number, handler: WithBody): RequestHandler;
  /** Reads a small JSON body, which may be absent, into `request.body`. */
  small(limitBytes: number): RequestHandler;
  /** A slot of its key for a request that reads its body itself. */
  slotted(handler: (request: Request, response: Response) => Promise<void>): RequestHandler;
}

/** Bodies of the operator, which have no account. */
const operator = 'operator';

export function createBodyRoutes({
  bodies,
  slots,
  concurrentRequests,
  timeoutMs,
}: BodyRoutesOptions): BodyRoutes {
  const inSlot = async (response: Response, work: () => Promise<void>): Promise<void> => {
    const caller = response.locals['caller'] as Caller | undefined;
    if (caller === undefined) return work();
    const most = concurrentRequests();
    const acquired = await slots.acquire(caller.keyId, most);
    if (acquired === undefined) uncount(response);
    const slot = requireSlot(acquired, most);
    try {
      await work();
    } finally {
      slot.release();
    }
  };
  const reading = (
    { request, response, ...given }: Reading,
    handler: (body: JsonBody) => Promise<void>,
  ): Promise<void> =>
    refusing(request, response, () =>
      inSlot(response, async () => {
        const caller = response.locals['caller'] as Caller | undefined;
        const body = await bodies.readJson({
          incoming: request,
          response,
          accountId: caller?.accountId ?? operator,
          bounds: { limitBytes: given.limitBytes, timeoutMs },
          isOptional: given.isOptional,
          wantsHash: request.get('idempotency-key') !== undefined,
        });
        try {
          await handler(body);
        } finally {
          body.release();
        }
      }),
    );
  return {
    json: (limitBytes, handler) => (request, response) =>
      reading({ request, response, limitBytes, isOptional: false }, (body) =>
        handler(request, response, body),
      ),
    small: (limitBytes) => async (request, response, next) => {
      await reading({ request, response, limitBytes, isOptional: true }, ({ value }) => {
        request.body = value;
        return Promise.resolve();
      });
      next();
    },
    slotted: (handler) => (request, response) =>
      refusing(request, response, () => inSlot(response, () => handler(request, response))),
  };
}

interface Reading {
  readonly request: Request;
  readonly response: Response;
  readonly limitBytes: number;
  readonly isOptional: boolean;
}

/** A request that is refused with its body unread ends its connection. */
async function refusing(
  request: Request,
  response: Response,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (hasBody(request.headers) && !request.complete) {
      response.set('connection', 'close');
      request.unpipe();
      turnAway(request);
    }
    throw error;
  }
}
