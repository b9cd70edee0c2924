import { createHash, timingSafeEqual } from 'node:crypto';
import express, { Router, type RequestHandler } from 'express';
import {
  createAjv,
  holdRequestSchema,
  leaseRequestSchema,
  requestError,
  violationsOf,
  type HoldRequest,
  type LeaseResponse,
  type LeaseRequest,
} from '@gateway/contracts';
import { GatewayError, quotaSum } from '@gateway/domain';
import { reached } from '@gateway/runtime';
import type { TakeHold } from '../../use-cases/take-hold.ts';
import { callerGone, watchCaller } from '../caller-gone.ts';

export interface HoldRoutesOptions {
  readonly serviceToken: string;
  readonly takeHold: TakeHold;
  /**
   * Gives back the hold of a task that was not created; false when there is nothing to give back.
   */
  readonly releaseHold: (taskId: string) => Promise<boolean>;
  readonly settleLeases: (request: LeaseRequest) => Promise<LeaseResponse>;
}

/**
 * `POST /internal/holds`, `DELETE /internal/holds/{task id}` and `POST /internal/leases`: for the api
 * only, by the shared service token. A refusal for lack of quota is a response, not an error.
 */
export function holdRoutes({
  serviceToken,
  takeHold,
  releaseHold,
  settleLeases,
}: HoldRoutesOptions): Router {
  const ajv = createAjv();
  const validate = ajv.compile<HoldRequest>(holdRequestSchema);
  const validateLeases = ajv.compile<LeaseRequest>(leaseRequestSchema);
  const router = Router();
  router.use('/internal', requireServiceToken(serviceToken), watchCaller);
  router.post('/internal/holds', express.json({ limit: '16kb' }), async (request, response) => {
    const [first, ...rest] = violationsOf(validate, request.body);
    if (first !== undefined) throw requestError([first, ...rest]);
    response.json(await takeHold(consistent(request.body as HoldRequest), callerGone(response)));
  });
  router.delete('/internal/holds/:taskId', async (request, response) => {
    const released = await releaseHold(request.params.taskId);
    reached('hold.returned', request.params.taskId);
    response.json({ released });
  });
  router.post('/internal/leases', express.json({ limit: '1mb' }), async (request, response) => {
    const [first, ...rest] = violationsOf(validateLeases, request.body);
    if (first !== undefined) throw requestError([first, ...rest]);
    const asked = oncePerAccount(request.body as LeaseRequest);
    if (callerGone(response).aborted) throw noLongerWaiting();
    response.json(await settleLeases(asked));
  });
  return router;
}

const noLongerWaiting = (): GatewayError =>
  new GatewayError('overloaded', 'the caller does not wait any longer; nothing was done');

/** Two asks of one account in one statement would both be decided from the same balance. */
function oncePerAccount(request: LeaseRequest): LeaseRequest {
  if (new Set(request.leases.map((ask) => ask.account_id)).size === request.leases.length) {
    return request;
  }
  throw new GatewayError('invalid_parameter', 'leases must name each account once', {
    param: 'leases',
  });
}

/**
 * The price must add up: a wrong sum would otherwise fail the holds that are decided with it. The
 * items that are stored are those that were summed here.
 */
function consistent(request: HoldRequest): HoldRequest {
  const { quota, seconds, second_quota: secondQuota, price } = request;
  const held = price && quotaSum(price.rules, { ...price.facts, seconds });
  const sum = held?.quota ?? seconds * secondQuota;
  if (quota !== sum) {
    const wanted = held === undefined ? 'seconds × second_quota' : 'the sum of its price';
    throw new GatewayError('invalid_parameter', `quota must be ${wanted}, ${sum}; got ${quota}`, {
      param: 'quota',
    });
  }
  return held === undefined || price === undefined
    ? request
    : { ...request, price: { ...price, items: held.items } };
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
