import { setTimeout as pause } from 'node:timers/promises';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { ArkError, type ArkErrorClass } from '../ark/errors.ts';
import type { Activity } from './activity.ts';
import type { Fault, FaultAction, FaultOperation, Faults } from './faults.ts';

interface Exchange {
  readonly request: Request;
  readonly response: Response;
  readonly next: NextFunction;
}

const classOfStatus: Partial<Record<number, ArkErrorClass>> = { 400: 'InvalidParameter', 401: 'AuthenticationError', 403: 'AccountOverdueError', 404: 'NotFound', 429: 'RateLimitExceeded' };

const actions: Readonly<Record<FaultAction, (fault: Fault, exchange: Exchange) => void | Promise<void>>> = {
  'status': ({ status, retry_after_seconds: retryAfter }, { response }) => {
    if (retryAfter !== undefined) response.set('retry-after', String(retryAfter));
    throw new ArkError(classOfStatus[status] ?? 'InternalServiceError', 'A fault was asked for through the control endpoint.', { status });
  },
  'drop-before': (_fault, { request }) => { request.socket.destroy(); },
  'drop-after': (_fault, { request, response, next }) => {
    dropAnswer(request, response);
    next();
  },
  'delay': async ({ delay_ms: delayMs }, { next }) => {
    await pause(delayMs, undefined, { ref: false });
    next();
  },
  'garbage': (_fault, { response }) => { response.type('json').send('{"id": "cgt-2'); },
};

/** Lets the work be done, and closes the connection instead of answering. */
export function dropAnswer(request: Request, response: Response): void {
  const drop = (): void => { request.socket.destroy(); };
  response.write = () => { drop(); return false; };
  response.end = () => { drop(); return response; };
}

/** Meets requests of one kind with the faults that were asked for. */
export const applyFaults = ({ faults, activity }: { faults: Faults; activity: Activity }, operation: FaultOperation): RequestHandler =>
  async (request, response, next) => {
    const fault = faults.take(operation);
    if (fault === undefined) {
      next();
      return;
    }
    activity.count('faults_applied');
    await actions[fault.action](fault, { request, response, next });
  };
