import { Router, type Request } from 'express';
import { adminTaskFilterNames, readAdminTaskFilter } from '@gateway/contracts';
import { GatewayError, isId } from '@gateway/domain';
import type { QueueCounts } from '@gateway/queue';
import {
  invariantNames,
  type CallbackDeliveries,
  type Journal,
  type Ledger,
  type TaskDetailReads,
  type TaskDetails,
  type TaskOverviews,
  type TaskReads,
  type TaskTries,
} from '@gateway/store';
import type { CancelVideo } from '../../../use-cases/cancel-video.ts';
import {
  countedIds,
  listedIds,
  readAccount,
  readGraceSeconds,
} from '../../../use-cases/read-admin-query.ts';
import { pageNames, readPageQuery } from '../../../use-cases/read-page-query.ts';
import {
  adminTaskDetailResource,
  adminTaskResource,
  taskTryResource,
} from '../../admin-task-resource.ts';
import { operatorActionResource } from '../../admin-resource.ts';
import { attemptResource, redeliveredResource, standingOf } from '../../callback-resource.ts';
import { listOf } from '../../list-resource.ts';
import { onlyMethods } from '../../methods.ts';
import { knownQuery } from '../../request-parts.ts';

export interface AdminOperationRoutesOptions {
  readonly tasks: TaskOverviews;
  readonly findTask: TaskReads['find'];
  /** Journaled; waits for the vendor as the customer's own cancellation does. */
  readonly cancelVideo: (request: CancelVideo) => Promise<unknown>;
  readonly journalPage: Journal['page'];
  readonly findDetails: TaskDetailReads['find'];
  readonly tries: TaskTries;
  readonly deliveries: CallbackDeliveries;
  readonly ledger: Pick<Ledger, 'verify' | 'countExposures'>;
  readonly queueCounts: QueueCounts['read'];
  readonly now: () => Date;
}

type Named = Request<{ id: string }>;

/** What an operator watches while the gateway runs: tasks, deliveries, queues and the ledger. */
export function adminOperationRoutes(options: AdminOperationRoutesOptions): Router {
  const router = Router();
  router
    .route('/admin/v1/tasks')
    .get(async (request, response) => {
      const query = knownQuery(request, [...pageNames, ...adminTaskFilterNames]);
      const now = options.now();
      const page = await options.tasks.page({
        ...readPageQuery(query, listedIds('task')),
        ...readAdminTaskFilter(query, now),
      });
      response.json(listOf(page, (task) => adminTaskResource(task, now)));
    })
    .all(onlyMethods('GET'));
  addDetails(router, options);
  addJournal(router, options);
  addTries(router, options);
  addDeliveries(router, options);
  addQueues(router, options);
  addVerification(router, options);
  return router;
}

const noSuchTask = (): GatewayError => new GatewayError('task_not_found', 'there is no such task');

const namedTask =
  ({ findTask }: Pick<AdminOperationRoutesOptions, 'findTask'>) =>
  async ({ params: { id } }: Named): Promise<string> => {
    const task = isId('task', id) ? await findTask(id) : undefined;
    if (task === undefined) throw noSuchTask();
    return task.id;
  };

function addDetails(
  router: Router,
  { findDetails, cancelVideo, deliveries, now }: AdminOperationRoutesOptions,
): void {
  const detailsOf = async (id: string): Promise<TaskDetails> => {
    const details = isId('task', id) ? await findDetails(id) : undefined;
    if (details === undefined) throw noSuchTask();
    return details;
  };
  router
    .route('/admin/v1/videos/:id')
    .get(async ({ params: { id } }: Named, response) => {
      const details = await detailsOf(id);
      response.json(adminTaskDetailResource(details, await deliveries.summary(id), now()));
    })
    .all(onlyMethods('GET'));
  router
    .route('/admin/v1/videos/:id/cancel')
    .post(async ({ params: { id } }: Named, response) => {
      const { overview } = await detailsOf(id);
      await cancelVideo({ taskId: id, accountId: overview.accountId });
      const details = await detailsOf(id);
      response.json(adminTaskDetailResource(details, await deliveries.summary(id), now()));
    })
    .all(onlyMethods('POST'));
}

function addJournal(router: Router, { journalPage }: AdminOperationRoutesOptions): void {
  router
    .route('/admin/v1/journal')
    .get(async (request, response) => {
      const query = knownQuery(request, [...pageNames, 'account']);
      const accountId = readAccount(query);
      const page = await journalPage({ ...readPageQuery(query, countedIds), accountId });
      response.json(listOf(page, operatorActionResource));
    })
    .all(onlyMethods('GET'));
}

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
      const [standing, attempts] = await Promise.all([
        standingOf(deliveries, taskId),
        deliveries.attempts({ taskId, ...cursors }),
      ]);
      const list = listOf(attempts, (attempt) => ({
        ...attemptResource(taskId, attempt),
        remote_address: attempt.remoteAddress,
      }));
      response.json({ ...list, ...standing });
    })
    .all(onlyMethods('GET'));
  router
    .route('/admin/v1/videos/:id/callbacks/redeliver')
    .post(async (request: Named, response) => {
      const taskId = await named(request);
      if (!(await deliveries.redeliverTask(taskId))) {
        throw new GatewayError(
          'no_callback',
          'the task was created without callback_url, and nothing of it was for an endpoint: there is nothing to deliver',
        );
      }
      response.json(await redeliveredResource(deliveries, taskId));
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
