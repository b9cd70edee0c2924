import { Router, type Request } from 'express';
import { GatewayError, isId } from '@gateway/domain';
import type { QueueCounts } from '@gateway/queue';
import {
  invariantNames,
  type CallbackDeliveries,
  type Ledger,
  type TaskReads,
  type TaskOverviews,
  type TaskTries,
} from '@gateway/store';
import {
  listedIds,
  readGraceSeconds,
  readTaskFilters,
  taskFilterNames,
} from '../../../use-cases/read-admin-query.ts';
import { pageNames, readPageQuery } from '../../../use-cases/read-page-query.ts';
import { adminTaskResource, taskTryResource } from '../../admin-resource.ts';
import { attemptResource, callbackResource } from '../../callback-resource.ts';
import { listOf } from '../../list-resource.ts';
import { onlyMethods } from '../../methods.ts';
import { knownQuery } from '../../request-parts.ts';

export interface AdminOperationRoutesOptions {
  readonly tasks: TaskOverviews;
  readonly findTask: TaskReads['find'];
  readonly tries: TaskTries;
  readonly deliveries: CallbackDeliveries;
  readonly ledger: Pick<Ledger, 'verify' | 'countExposures'>;
  readonly queueCounts: QueueCounts['read'];
}

type Named = Request<{ id: string }>;

/** What an operator watches while the gateway runs: tasks, deliveries, queues and the ledger. */
export function adminOperationRoutes(options: AdminOperationRoutesOptions): Router {
  const router = Router();
  router
    .route('/admin/v1/tasks')
    .get(async (request, response) => {
      response.json(
        listOf(
          await options.tasks.page(readTaskFilters(knownQuery(request, taskFilterNames))),
          adminTaskResource,
        ),
      );
    })
    .all(onlyMethods('GET'));
  addTries(router, options);
  addDeliveries(router, options);
  addQueues(router, options);
  addVerification(router, options);
  return router;
}

const namedTask =
  ({ findTask }: Pick<AdminOperationRoutesOptions, 'findTask'>) =>
  async ({ params: { id } }: Named): Promise<string> => {
    const task = isId('task', id) ? await findTask(id) : undefined;
    if (task === undefined) throw new GatewayError('task_not_found', 'there is no such task');
    return task.id;
  };

function addTries(router: Router, options: AdminOperationRoutesOptions): void {
  const named = namedTask(options);
  router
    .route('/admin/v1/videos/:id/tries')
    .get(async (request: Named, response) => {
      const tries = await options.tries.ofTask(await named(request));
      response.json({ object: 'list', data: tries.map(taskTryResource) });
    })
    .all(onlyMethods('GET'));
}

function addDeliveries(router: Router, options: AdminOperationRoutesOptions): void {
  const { deliveries } = options;
  const named = namedTask(options);
  router
    .route('/admin/v1/videos/:id/callbacks')
    .get(async (request: Named, response) => {
      const taskId = await named(request);
      const cursors = readPageQuery(knownQuery(request, pageNames), listedIds('attempt'));
      const [summary, attempts] = await Promise.all([
        deliveries.summary(taskId),
        deliveries.attempts({ taskId, ...cursors }),
      ]);
      const list = listOf(attempts, (attempt) => ({
        ...attemptResource(taskId, attempt),
        remote_address: attempt.remoteAddress,
      }));
      response.json({
        ...list,
        callback: summary === undefined ? null : callbackResource(summary),
      });
    })
    .all(onlyMethods('GET'));
  router
    .route('/admin/v1/videos/:id/callbacks/redeliver')
    .post(async (request: Named, response) => {
      const taskId = await named(request);
      const summary = (await deliveries.redeliver(taskId))
        ? await deliveries.summary(taskId)
        : undefined;
      if (summary === undefined) {
        throw new GatewayError(
          'no_callback',
          'the task was created without callback_url: there is nothing to deliver',
        );
      }
      response.json({
        id: taskId,
        object: 'video.redelivery',
        callback: callbackResource(summary),
      });
    })
    .all(onlyMethods('POST'));
}

function addQueues(router: Router, { queueCounts }: AdminOperationRoutesOptions): void {
  router
    .route('/admin/v1/queues')
    .get(async (_request, response) => {
      const data = await queueCounts().catch((cause: unknown) => {
        throw new GatewayError(
          'upstream_unavailable',
          'Redis cannot be reached, so the queues cannot be counted; try again',
          { cause },
        );
      });
      response.json({ object: 'list', data: data.map((queue) => ({ object: 'queue', ...queue })) });
    })
    .all(onlyMethods('GET'));
}

function addVerification(router: Router, { ledger }: AdminOperationRoutesOptions): void {
  router
    .route('/admin/v1/billing/verify')
    .get(async (request, response) => {
      const graceSeconds = readGraceSeconds(knownQuery(request, ['grace']));
      const violations = await ledger.verify({ graceSeconds });
      response.json({
        object: 'billing.verification',
        ok: violations.length === 0,
        invariants: invariantNames,
        violations,
        exposures: await ledger.countExposures(),
      });
    })
    .all(onlyMethods('GET'));
}
