import { Router, type Request } from 'express';
import { GatewayError, isId } from '@gateway/domain';
import { operatorOwner, type Sessions } from '@gateway/store';
import type { OpenedSession, OpenSession } from '../../../use-cases/open-session.ts';
import { idField } from '../../../use-cases/query-field.ts';
import { pageNames, readPageQuery } from '../../../use-cases/read-page-query.ts';
import { operatorSessionOf } from '../../admin-token.ts';
import { listOf } from '../../list-resource.ts';
import { onlyMethods } from '../../methods.ts';
import { knownQuery } from '../../request-parts.ts';
import { operatorCookie, requireOwnPage } from '../../session-cookie.ts';
import { sessionEndedResource, sessionResource } from '../../session-resource.ts';
import { noSuchSession, type SetCookie } from '../sessions.ts';

export interface AdminSessionRoutesOptions {
  readonly openSession: (request: OpenSession) => Promise<OpenedSession>;
  readonly sessions: Pick<Sessions, 'page' | 'end'>;
  readonly setCookie: SetCookie;
  /** What is hashed for the secret of a cookie. */
  readonly hashedOf: (secret: string) => string;
}

/** `/admin/v1/session` and `/admin/v1/sessions`: operators' browsers, which share the token. */
export function adminSessionRoutes({
  openSession,
  sessions,
  setCookie,
  hashedOf,
}: AdminSessionRoutesOptions): Router {
  const router = Router();
  router
    .route('/admin/v1/session')
    .post(async (request, response) => {
      requireOwnPage(request);
      if (operatorSessionOf(response) !== undefined) throw tokenNeeded();
      const userAgent = request.get('user-agent');
      const opened = await openSession({ owner: operatorOwner, userAgent, hashedOf });
      setCookie(response, operatorCookie, opened);
      response.json(sessionResource(opened.session, opened.session.id));
    })
    .get((_request, response) => {
      const session = operatorSessionOf(response);
      if (session === undefined) throw noSuchSession();
      response.json(sessionResource(session, session.id));
    })
    .delete(async (_request, response) => {
      const session = operatorSessionOf(response);
      if (session === undefined) throw noSuchSession();
      await sessions.end(session.id, operatorOwner);
      setCookie(response, operatorCookie, null);
      response.json(sessionEndedResource(session.id));
    })
    .all(onlyMethods('GET', 'POST', 'DELETE'));
  router
    .route('/admin/v1/sessions')
    .get(async (request, response) => {
      const cursors = readPageQuery(knownQuery(request, pageNames), sessionIds);
      const page = await sessions.page({ owner: operatorOwner, ...cursors });
      const currentId = operatorSessionOf(response)?.id;
      response.json(listOf(page, (item) => sessionResource(item, currentId)));
    })
    .all(onlyMethods('GET'));
  router
    .route('/admin/v1/sessions/:id')
    .delete(async ({ params: { id } }: Request<{ id: string }>, response) => {
      if (!isId('session', id) || !(await sessions.end(id, operatorOwner))) throw noSuchSession();
      response.json(sessionEndedResource(id));
    })
    .all(onlyMethods('DELETE'));
  return router;
}

const sessionIds = idField('session', 'the id of a session');

const tokenNeeded = (): GatewayError =>
  new GatewayError(
    'invalid_admin_token',
    'a session is opened with the admin token, not with another session',
  );
