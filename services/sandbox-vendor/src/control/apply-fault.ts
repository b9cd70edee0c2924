import { setTimeout as pause } from 'node:timers/promises';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { PlainFailure } from '../http/plain-failure.ts';
import type { Activity } from './activity.ts';
import type { Fault, FaultAction, FaultOperation, Faults } from './faults.ts';

interface HttpCall {
  readonly request: Request;
  readonly response: Response;
  readonly next: NextFunction;
}

const actions: Readonly<
  Record<FaultAction, (fault: Fault, call: HttpCall) => void | Promise<void>>
> = {
  status: ({ status, retry_after_seconds: retryAfter }, { response }) => {
    if (retryAfter !== undefined) response.set('retry-after', String(retryAfter));
    throw new PlainFailure(status, 'A fault was asked for through the control endpoint.');
  },
  // What a proxy or a firewall in front of a vendor says in its stead.
  page: ({ status }, { response }) => {
    response
      .status(status)
      .type('html')
      .send(`<html><head><title>${status}</title></head><body><h1>${status}</h1></body></html>`);
  },
  'drop-before': (_fault, { request, response }) => {
    drop(request, response);
  },
  'drop-after': (_fault, { request, response, next }) => {
    dropResponse(request, response);
    next();
  },
  delay: async ({ delay_ms: delayMs }, { next }) => {
    await pause(delayMs, undefined, { ref: false });
    next();
  },
  garbage: (_fault, { response }) => {
    response.type('json').send('{"id": "cgt-2');
  },
};

/** Lets the work be done, and closes the connection instead of responding. */
export function dropResponse(request: Request, response: Response): void {
  response.write = () => {
    drop(request, response);
    return false;
  };
  response.end = () => {
    drop(request, response);
    return response;
  };
}

/** Closes the connection, and notes that it was not the client who did. */
function drop(request: Request, response: Response): void {
  response.locals['broken'] = true;
  request.socket.destroy();
}

/** Meets requests of these kinds with the faults that were asked for. */
export const applyFaults =
  (
    { faults, activity }: { faults: Faults; activity: Activity },
    ...operations: readonly FaultOperation[]
  ): RequestHandler =>
  async (request, response, next) => {
    const fault = faults.take(...operations);
    if (fault === undefined) {
      next();
      return;
    }
    activity.count('faults_applied');
    await actions[fault.action](fault, { request, response, next });
  };
