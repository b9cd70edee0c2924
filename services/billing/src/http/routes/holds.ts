import { createHash, timingSafeEqual } from 'node:crypto';
import express, { Router, type RequestHandler } from 'express';
import {
  createAjv,
  holdRequestSchema,
  requestError,
  violationsOf,
  type HoldAnswer,
  type HoldRequest,
} from '@gateway/contracts';
import { GatewayError } from '@gateway/domain';
import { reached } from '@gateway/runtime';

export interface HoldRoutesOptions {
  readonly serviceToken: string;
  readonly takeHold: (request: HoldRequest) => Promise<HoldAnswer>;
  /**
   * Gives back the hold of a task that was not created; false when there is nothing to give back.
   */
  readonly releaseHold: (taskId: string) => Promise<boolean>;
}

/**
 * `POST /internal/holds` and `DELETE /internal/holds/{task id}`: for the api only, by the shared
 * service token. A refusal for lack of quota is an answer, not an error.
 */
export function holdRoutes({ serviceToken, takeHold, releaseHold }: HoldRoutesOptions): Router {
  const validate = createAjv().compile<HoldRequest>(holdRequestSchema);
  const router = Router();
  router.use('/internal', requireServiceToken(serviceToken));
  router.post('/internal/holds', express.json({ limit: '16kb' }), async (request, response) => {
    const [first, ...rest] = violationsOf(validate, request.body);
    if (first !== undefined) throw requestError([first, ...rest]);
    response.json(await takeHold(consistent(request.body as HoldRequest)));
  });
  router.delete('/internal/holds/:taskId', async (request, response) => {
    const released = await releaseHold(request.params.taskId);
    reached('hold.returned', request.params.taskId);
    response.json({ released });
  });
  return router;
}

/**
 * The price must multiply out: a wrong sum would otherwise fail the holds that are decided with it.
 */
function consistent(request: HoldRequest): HoldRequest {
  if (request.quota === request.seconds * request.second_quota) return request;
  throw new GatewayError(
    'invalid_parameter',
    `quota must be seconds × second_quota, ${request.seconds * request.second_quota}; got ${request.quota}`,
    { param: 'quota' },
  );
}

function requireServiceToken(serviceToken: string): RequestHandler {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  const expected = digest(`Bearer ${serviceToken}`);
  return (request, _response, next) => {
    if (!timingSafeEqual(digest(request.get('authorization') ?? ''), expected)) {
      throw new GatewayError('invalid_api_key', 'this route is for the gateway’s own services');
    }
    next();
  };
}
