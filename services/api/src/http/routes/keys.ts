import { Router, type Request } from 'express';
import type { AdminRequestReader } from '@gateway/contracts';
import { GatewayError, isId } from '@gateway/domain';
import type { AccountReads, OwnKeys } from '@gateway/store';
import { usualScopesOf, type createMakeKey } from '../../use-cases/make-key.ts';
import { listedIds } from '../../use-cases/read-admin-query.ts';
import { pageNames, readPageQuery } from '../../use-cases/read-page-query.ts';
import { keyResource } from '../admin-resource.ts';
import { authenticated, callerOf, type Authenticate } from '../authentication.ts';
import type { BodyRoutes } from '../json-body.ts';
import { listOf } from '../list-resource.ts';
import { onlyMethods } from '../methods.ts';
import { knownQuery } from '../request-parts.ts';

export interface KeyRoutesOptions {
  readonly authenticate: Authenticate;
  readonly makeKey: ReturnType<typeof createMakeKey>;
  readonly accounts: Pick<AccountReads, 'keys' | 'findKey'>;
  readonly revokeKey: OwnKeys['revoke'];
  readonly usualScopes: readonly string[];
  readonly readKey: AdminRequestReader['key'];
  readonly bodies: Pick<BodyRoutes, 'small'>;
}

const bodyLimitBytes = 65_536;

/** `/v1/keys`: an account makes and revokes its own keys, within what the key that does may do. */
export function keyRoutes({
  authenticate,
  makeKey,
  accounts,
  revokeKey,
  usualScopes,
  readKey,
  bodies,
}: KeyRoutesOptions): Router {
  const router = Router();
  const allowed = authenticated(authenticate, 'keys:write');
  const keyOf = async (id: string) => {
    const key = await accounts.findKey(id);
    if (key === undefined) throw noSuchKey();
    return keyResource(key);
  };
  router
    .route('/v1/keys')
    .get(allowed, async (request, response) => {
      const cursors = readPageQuery(knownQuery(request, pageNames), listedIds('key'));
      const page = await accounts.keys({ accountId: callerOf(response).accountId, ...cursors });
      response.set('cache-control', 'no-store').json(listOf(page, keyResource));
    })
    .post(allowed, bodies.small(bodyLimitBytes), async (request, response) => {
      const caller = callerOf(response);
      const { id, apiKey } = await makeKey(
        caller,
        readKey(request.body, usualScopesOf(caller, usualScopes)),
      );
      response.set('cache-control', 'no-store').json({ ...(await keyOf(id)), api_key: apiKey });
    })
    .all(onlyMethods('GET', 'POST'));
  router
    .route('/v1/keys/:id')
    .delete(allowed, async ({ params: { id } }: Request<{ id: string }>, response) => {
      const { accountId } = callerOf(response);
      if (!isId('key', id) || !(await revokeKey(id, accountId))) throw noSuchKey();
      response.set('cache-control', 'no-store').json(await keyOf(id));
    })
    .all(onlyMethods('DELETE'));
  return router;
}

const noSuchKey = (): GatewayError =>
  new GatewayError('key_not_found', 'there is no such API key in this account');
