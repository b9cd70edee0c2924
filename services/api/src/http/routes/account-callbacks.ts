import { Router } from 'express';
import { deliveryStateNames, type RedeliveryBody } from '@gateway/contracts';
import type { TaskCallback, TaskCallbacks } from '@gateway/store';
import { endpointIds, idField, readField, type QueryField } from '../../use-cases/query-field.ts';
import { pageNames, readPageQuery } from '../../use-cases/read-page-query.ts';
import type { Redelivered } from '../../use-cases/redeliver-many.ts';
import type { CallbackTest, SentTestMessage } from '../../use-cases/test-callback.ts';
import { authenticated, callerOf, type Authenticate } from '../authentication.ts';
import type { BodyRoutes } from '../json-body.ts';
import { listOf } from '../list-resource.ts';
import { onlyMethods } from '../methods.ts';
import { knownQuery } from '../request-parts.ts';

export interface AccountCallbackRoutesOptions {
  readonly authenticate: Authenticate;
  readonly callbackPage: TaskCallbacks['page'];
  readonly redeliverMany: (accountId: string, asked: RedeliveryBody) => Promise<Redelivered>;
  readonly testCallback: (accountId: string, url: string) => Promise<CallbackTest>;
  readonly read: (body: unknown) => RedeliveryBody;
  readonly readTest: (body: unknown) => string;
  readonly bodies: Pick<BodyRoutes, 'small'>;
}

const bodyLimitBytes = 4_096;
export const taskIds = idField('task', 'the id of a video task');
export const stateField: QueryField<(typeof deliveryStateNames)[number]> = {
  read: (text) => deliveryStateNames.find((state) => state === text),
  mustBe: `one of ${deliveryStateNames.join(', ')}`,
};

/** `/v1/callbacks`: the callbacks of all tasks of an account, and tests of an address. */
export function accountCallbackRoutes(options: AccountCallbackRoutesOptions): Router {
  const { authenticate, callbackPage, redeliverMany, read, bodies } = options;
  const router = Router();
  router
    .route('/v1/callbacks')
    .get(authenticated(authenticate, 'videos:read'), async (request, response) => {
      const query = knownQuery(request, [...pageNames, 'state', 'endpoint']);
      const { items, hasMore, firstId, lastId } = await callbackPage({
        accountId: callerOf(response).accountId,
        endpointId: readField('endpoint', query['endpoint'], endpointIds),
        state: readField('state', query['state'], stateField),
        ...readPageQuery(query, taskIds),
      });
      response.set('cache-control', 'no-store').json({
        ...listOf({ items, hasMore }, taskCallbackResource),
        first_id: firstId,
        last_id: lastId,
      });
    })
    .all(onlyMethods('GET'));
  router
    .route('/v1/callbacks/redeliver')
    .post(
      authenticated(authenticate, 'videos:write'),
      bodies.small(bodyLimitBytes),
      async (request, response) => {
        const asked = read(request.body);
        const done = await redeliverMany(callerOf(response).accountId, asked);
        response.set('cache-control', 'no-store').json(redeliveryResource(done, asked.isDryRun));
      },
    )
    .all(onlyMethods('POST'));
  addTests(router, options);
  return router;
}

function addTests(
  router: Router,
  { authenticate, testCallback, readTest, bodies }: AccountCallbackRoutesOptions,
): void {
  router
    .route('/v1/callbacks/test')
    .post(
      authenticated(authenticate, 'videos:write'),
      bodies.small(bodyLimitBytes),
      async (request, response) => {
        const test = await testCallback(callerOf(response).accountId, readTest(request.body));
        response.set('cache-control', 'no-store').json(callbackTestResource(test));
      },
    )
    .all(onlyMethods('POST'));
}

export const sentTestResource = (sent: SentTestMessage) => ({
  outcome: sent.attemptClass,
  http_status: sent.httpStatus,
  duration_ms: sent.durationMs,
  detail: sent.detail,
  answer: sent.answerExcerpt,
});

export const callbackTestResource = ({ id, url, challenge, event }: CallbackTest) => ({
  id,
  object: 'callback.test',
  callback_url: url,
  delivered: event?.attemptClass === 'success',
  challenge: sentTestResource(challenge),
  event: event === null ? null : sentTestResource(event),
});

export const taskCallbackResource = (callback: TaskCallback) => ({
  id: callback.taskId,
  object: 'video.callback',
  callback_url: callback.url,
  endpoint_id: callback.endpointId,
  state: callback.state,
  reason: callback.stopReason,
  failures: callback.failures,
  pending: callback.pendingPushes,
  last_attempt_at: callback.lastAttemptAt?.toISOString() ?? null,
  last_outcome: callback.lastClass,
  last_status: callback.lastHttpStatus,
  next_attempt_at: callback.nextAttemptAt?.toISOString() ?? null,
});

export const redeliveryResource = (done: Redelivered, isDryRun: boolean) => ({
  object: 'callback.redelivery',
  dry_run: isDryRun,
  redelivered: done.taskIds.length,
  video_ids: done.taskIds,
  last_id: done.lastId,
  has_more: done.hasMore,
});
