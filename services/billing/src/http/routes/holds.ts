import { createHash, timingSafeEqual } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import express, { Router, type RequestHandler, type Response } from 'express';
import {
  compileOnce,
  holdBatchRequestSchema,
  holdRequestSchema,
  leaseRequestSchema,
  requestError,
  violationsOf,
  type HoldBatchRequest,
  type HoldRequest,
  type HoldResponse,
  type LeaseResponse,
  type LeaseRequest,
} from '@gateway/contracts';
import { GatewayError, quotaSum } from '@gateway/domain';
import { noteRequests, reached, type Log } from '@gateway/runtime';
import type { TakeHold } from '../../use-cases/take-hold.ts';
import { callerGone, watchCaller } from '../caller-gone.ts';
import { respondAsDecided } from '../hold-batch.ts';

export interface HoldRoutesOptions {
  readonly serviceToken: string;
  readonly takeHold: TakeHold;
  /**
   * Gives back the hold of a task that was not created; false when there is nothing to give back.
   */
  readonly releaseHold: (taskId: string) => Promise<boolean>;
  readonly settleLeases: (request: LeaseRequest) => Promise<LeaseResponse>;
  readonly log: Log;
}

/**
 * `POST /internal/holds`, `POST /internal/holds/batch`, `DELETE /internal/holds/{task id}` and
 * `POST /internal/leases`: for the api only, by the shared service token. A refusal for lack of quota
 * is a response, not an error.
 */
export function holdRoutes({
  serviceToken,
  takeHold,
  releaseHold,
  settleLeases,
  log,
}: HoldRoutesOptions): Router {
  const validate = compileOnce<HoldRequest>(holdRequestSchema);
  const validateBatch = compileOnce<HoldBatchRequest>(holdBatchRequestSchema);
  const validateLeases = compileOnce<LeaseRequest>(leaseRequestSchema);
  const router = Router();
  router.use('/internal', requireServiceToken(serviceToken), watchCaller);
  const take = async (body: unknown, response: Response): Promise<HoldResponse> => {
    const [first, ...rest] = violationsOf(validate, body);
    if (first !== undefined) throw requestError([first, ...rest]);
    return takeHold(consistent(body as HoldRequest), callerGone(response));
  };
  router.post('/internal/holds', express.json({ limit: '16kb' }), async (request, response) => {
    response.json(await take(request.body, response));
  });
  router.post('/internal/holds/batch', express.json({ limit: '1mb' }), (request, response) => {
    const [first, ...rest] = violationsOf(validateBatch, request.body);
    if (first !== undefined) throw requestError([first, ...rest]);
    const { holds } = request.body as HoldBatchRequest;
    noteRequests(response, requestsOf(holds));
    // Each hold that waits listens.
    setMaxListeners(holds.length, callerGone(response));
    const decisions = holds.map(({ hold }) => take(hold, response));
    respondAsDecided(response, decisions, log);
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

const requestsOf = (holds: HoldBatchRequest['holds']): readonly string[] =>
  holds.flatMap(({ request_id: requestId }) => requestId ?? []);

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
