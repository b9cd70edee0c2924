import type { Request, RequestHandler, Response } from 'express';
import { requireScope, type Caller, type Scope } from '../use-cases/authenticate.ts';

export type Authenticate = (apiKey: string | undefined) => Promise<Caller>;

/** Lets a request through that carries a good key with this scope, as `Authorization: Bearer` or `x-api-key`. */
export const authenticated = (authenticate: Authenticate, scope: Scope): RequestHandler =>
  async (request, response, next) => {
    const caller = await authenticate(presentedKey(request));
    requireScope(caller, scope);
    response.locals['caller'] = caller;
    next();
  };

/** The caller that `authenticated` found. */
export const callerOf = (response: Response): Caller => response.locals['caller'] as Caller;

function presentedKey(request: Request): string | undefined {
  const bearer = /^bearer +(\S+) *$/i.exec(request.get('authorization') ?? '')?.[1];
  return bearer ?? request.get('x-api-key');
}
