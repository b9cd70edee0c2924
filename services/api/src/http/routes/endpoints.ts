import { Router, type Request, type Response } from 'express';
import type { EndpointReader } from '@gateway/contracts';
import { GatewayError, isId } from '@gateway/domain';
import type { Endpoint } from '@gateway/store';
import type { ManageEndpoints } from '../../use-cases/manage-endpoints.ts';
import type { CallbackTest } from '../../use-cases/test-callback.ts';
import { endpointIds } from '../../use-cases/query-field.ts';
import { pageNames, readPageQuery } from '../../use-cases/read-page-query.ts';
import { authenticated, callerOf, type Authenticate } from '../authentication.ts';
import { endpointResource } from '../endpoint-resource.ts';
import type { BodyRoutes } from '../json-body.ts';
import { listOf } from '../list-resource.ts';
import { onlyMethods } from '../methods.ts';
import { knownQuery } from '../request-parts.ts';
import { callbackTestResource } from './account-callbacks.ts';

export interface EndpointRoutesOptions {
  readonly authenticate: Authenticate;
  readonly endpoints: ManageEndpoints;
  readonly testCallback: (accountId: string, url: string) => Promise<CallbackTest>;
  readonly read: EndpointReader;
  readonly bodies: Pick<BodyRoutes, 'small'>;
}

const bodyLimitBytes = 8_192;
const path = '/v1/webhook-endpoints';

/** `/v1/webhook-endpoints`: addresses to which the statuses of all tasks of an account are pushed. */
export function endpointRoutes(options: EndpointRoutesOptions): Router {
  const router = Router();
  addEndpoints(router, options);
  addEndpoint(router, options);
  addConsent(router, options);
  return router;
}

const send = (response: Response, body: object): Response =>
  response.set('cache-control', 'no-store').json(body);

function addEndpoints(
  router: Router,
  { authenticate, endpoints, read, bodies }: EndpointRoutesOptions,
): void {
  router
    .route(path)
    .get(authenticated(authenticate, 'videos:read'), async (request, response) => {
      const cursors = readPageQuery(knownQuery(request, pageNames), endpointIds);
      const page = await endpoints.page({ accountId: callerOf(response).accountId, ...cursors });
      send(response, listOf(page, endpointResource));
    })
    .post(
      authenticated(authenticate, 'videos:write'),
      bodies.small(bodyLimitBytes),
      async (request, response) => {
        const { accountId } = callerOf(response);
        const endpoint = await endpoints.add(accountId, read.endpoint(request.body));
        send(response.location(`${path}/${endpoint.id}`), endpointResource(endpoint));
      },
    )
    .all(onlyMethods('GET', 'POST'));
}

type OneRequest = Request<{ id: string }>;

/** Throws endpoint_not_found for what cannot be the id of one. */
function named({ params: { id } }: OneRequest, response: Response): readonly [string, string] {
  if (!isId('endpoint', id)) {
    throw new GatewayError('endpoint_not_found', 'there is no such endpoint in this account');
  }
  return [id, callerOf(response).accountId];
}

function addEndpoint(
  router: Router,
  { authenticate, endpoints, read, bodies }: EndpointRoutesOptions,
): void {
  router
    .route(`${path}/:id`)
    .get(authenticated(authenticate, 'videos:read'), async (request: OneRequest, response) => {
      send(response, endpointResource(await endpoints.find(...named(request, response))));
    })
    .patch(
      authenticated(authenticate, 'videos:write'),
      bodies.small(bodyLimitBytes),
      async (request: OneRequest, response) => {
        const changed = await endpoints.change(
          ...named(request, response),
          read.patch(request.body),
        );
        send(response, endpointResource(changed));
      },
    )
    .delete(authenticated(authenticate, 'videos:write'), async (request: OneRequest, response) => {
      const [id, accountId] = named(request, response);
      await endpoints.remove(id, accountId);
      send(response, { id, object: 'endpoint.deleted', deleted: true });
    })
    .all(onlyMethods('GET', 'PATCH', 'DELETE'));
}

function addConsent(
  router: Router,
  { authenticate, endpoints, testCallback }: EndpointRoutesOptions,
): void {
  const writes = authenticated(authenticate, 'videos:write');
  router
    .route(`${path}/:id/verify`)
    .post(writes, async (request: OneRequest, response) => {
      send(response, endpointResource(await endpoints.verify(...named(request, response))));
    })
    .all(onlyMethods('POST'));
  router
    .route(`${path}/:id/test`)
    .post(writes, async (request: OneRequest, response) => {
      const [id, accountId] = named(request, response);
      const { url }: Endpoint = await endpoints.find(id, accountId);
      send(response, callbackTestResource(await testCallback(accountId, url)));
    })
    .all(onlyMethods('POST'));
}
