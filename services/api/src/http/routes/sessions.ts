import { Router, type Request, type Response } from 'express';
import { GatewayError, isId } from '@gateway/domain';
import type { Sessions } from '@gateway/store';
import { idField } from '../../use-cases/query-field.ts';
import { pageNames, readPageQuery } from '../../use-cases/read-page-query.ts';
import type { OpenedSession, OpenSession } from '../../use-cases/open-session.ts';
import { authenticated, callerOf, type Authenticate } from '../authentication.ts';
import { listOf } from '../list-resource.ts';
import { onlyMethods } from '../methods.ts';
import { knownQuery } from '../request-parts.ts';
import { customerCookie, requireOwnPage, type SessionCookie } from '../session-cookie.ts';
import {
  currentSessionResource,
  sessionEndedResource,
  sessionResource,
} from '../session-resource.ts';

export interface SessionRoutesOptions {
  readonly authenticate: Authenticate;
  readonly openSession: (request: OpenSession) => Promise<OpenedSession>;
  readonly sessions: Pick<Sessions, 'find' | 'page' | 'end'>;
  /** From now on this replica does not know the session any more. */
  readonly forget: (sessionId: string) => void;
  readonly setCookie: SetCookie;
}

/** Gives a browser the secret of its session; null takes it away. */
export type SetCookie = (
  response: Response,
  cookie: SessionCookie,
  opened: OpenedSession | null,
) => void;

/** How cookies are set: sent over TLS alone where the gateway is reached over it. */
export const createSetCookie =
  (isSecure: boolean): SetCookie =>
  (response, { name, path }, opened) => {
    const options = { httpOnly: true, sameSite: 'strict', secure: isSecure, path } as const;
    if (opened === null) response.clearCookie(name, options);
    else response.cookie(name, opened.secret, { ...options, expires: opened.session.expiresAt });
  };

/** `/v1/session` and `/v1/sessions`: browsers that signed in with a key. */
export function sessionRoutes(options: SessionRoutesOptions): Router {
  const router = Router();
  addOwnRoutes(router, options);
  addListRoutes(router, options);
  return router;
}

function addOwnRoutes(
  router: Router,
  { authenticate, openSession, sessions, forget, setCookie }: SessionRoutesOptions,
): void {
  router
    .route('/v1/session')
    .post(authenticated(authenticate), async (request, response) => {
      requireOwnPage(request);
      const caller = callerOf(response);
      // A session that could open others would never be over.
      if (caller.sessionId !== undefined) throw keyNeeded();
      const opened = await openSession({
        owner: caller.keyId,
        userAgent: request.get('user-agent'),
        hashedOf: (secret) => secret,
      });
      setCookie(response, customerCookie, opened);
      response
        .set('cache-control', 'no-store')
        .json(currentSessionResource(opened.session, caller));
    })
    .get(authenticated(authenticate), async (_request, response) => {
      const { keyId, sessionId } = callerOf(response);
      const session = sessionId === undefined ? undefined : await sessions.find(sessionId, keyId);
      if (session === undefined) throw noSuchSession();
      response
        .set('cache-control', 'no-store')
        .json(currentSessionResource(session, callerOf(response)));
    })
    .delete(authenticated(authenticate), async (_request, response) => {
      const { keyId, sessionId } = callerOf(response);
      if (sessionId === undefined) throw noSuchSession();
      await sessions.end(sessionId, keyId);
      forget(sessionId);
      setCookie(response, customerCookie, null);
      response.set('cache-control', 'no-store').json(sessionEndedResource(sessionId));
    })
    .all(onlyMethods('GET', 'POST', 'DELETE'));
}

const sessionIds = idField('session', 'the id of a session');

function addListRoutes(
  router: Router,
  { authenticate, sessions, forget }: SessionRoutesOptions,
): void {
  router
    .route('/v1/sessions')
    .get(authenticated(authenticate), async (request, response) => {
      const { keyId: owner, sessionId } = callerOf(response);
      const cursors = readPageQuery(knownQuery(request, pageNames), sessionIds);
      response
        .set('cache-control', 'no-store')
        .json(
          listOf(await sessions.page({ owner, ...cursors }), (item) =>
            sessionResource(item, sessionId),
          ),
        );
    })
    .all(onlyMethods('GET'));
  router
    .route('/v1/sessions/:id')
    .delete(authenticated(authenticate), async (request: Request<{ id: string }>, response) => {
      const { id } = request.params;
      const { keyId } = callerOf(response);
      if (!isId('session', id) || !(await sessions.end(id, keyId))) throw noSuchSession();
      forget(id);
      response.set('cache-control', 'no-store').json(sessionEndedResource(id));
    })
    .all(onlyMethods('DELETE'));
}

export const noSuchSession = (): GatewayError =>
  new GatewayError(
    'session_not_found',
    'there is no such session of this key; it may be over already',
  );

const keyNeeded = (): GatewayError =>
  new GatewayError(
    'missing_api_key',
    'a session is opened with an API key, not with another session: send "Authorization: Bearer <API_KEY>"',
  );
