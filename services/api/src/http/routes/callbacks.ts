import { Router, type Request, type Response } from 'express';
import type { RotationReader, Task } from '@gateway/contracts';
import { GatewayError, isId } from '@gateway/domain';
import type { CallbackDeliveries, CallbackSecrets, TaskReads } from '@gateway/store';
import { idField } from '../../use-cases/query-field.ts';
import { pageNames, readPageQuery } from '../../use-cases/read-page-query.ts';
import { authenticated, callerOf, type Authenticate } from '../authentication.ts';
import {
  attemptResource,
  redeliveredResource,
  secretResource,
  standingOf,
} from '../callback-resource.ts';
import type { BodyRoutes } from '../json-body.ts';
import { listOf } from '../list-resource.ts';
import { onlyMethods } from '../methods.ts';
import { queryTexts } from '../query-text.ts';

export interface CallbackRoutesOptions {
  readonly authenticate: Authenticate;
  readonly findTask: TaskReads['findOrArchived'];
  readonly deliveries: CallbackDeliveries;
  readonly secrets: Pick<CallbackSecrets, 'valid' | 'rotate'>;
  readonly newSecret: () => string;
  readonly read: RotationReader;
  readonly bodies: Pick<BodyRoutes, 'small'>;
}

const bodyLimitBytes = 4_096;
const attemptIds = idField(
  'attempt',
  'the id of an attempt, such as attempt_01h455vb4pex5vsknk084sn02q',
);

/**
 * What an account may know and do about its callbacks: the delivery log, redelivery, and the secret
 * that signs.
 */
export function callbackRoutes(options: CallbackRoutesOptions): Router {
  const router = Router();
  addDeliveryRoutes(router, options);
  addSecretRoutes(router, options);
  return router;
}

function addDeliveryRoutes(
  router: Router,
  { authenticate, findTask, deliveries }: CallbackRoutesOptions,
): void {
  const ownTask = async (request: Request<{ id: string }>, response: Response): Promise<Task> => {
    const { id } = request.params;
    const task = isId('task', id) ? await findTask(id, callerOf(response).accountId) : undefined;
    if (task === undefined) {
      throw new GatewayError('task_not_found', 'there is no such task in this account');
    }
    return task;
  };
  router
    .route('/v1/videos/:id/callbacks')
    .get(authenticated(authenticate, 'videos:read'), async (request, response) => {
      const { id: taskId } = await ownTask(request, response);
      const cursors = readPageQuery(queryTexts(request, pageNames), attemptIds);
      const [standing, attempts] = await Promise.all([
        standingOf(deliveries, taskId),
        deliveries.attempts({ taskId, ...cursors }),
      ]);
      const list = listOf(attempts, (attempt) => attemptResource(taskId, attempt));
      response.set('cache-control', 'no-store').json({ ...list, ...standing });
    })
    .all(onlyMethods('GET'));
  router
    .route('/v1/videos/:id/callbacks/redeliver')
    .post(authenticated(authenticate, 'videos:write'), async (request, response) => {
      const { id: taskId, callbackUrl } = await ownTask(request, response);
      if (!(await deliveries.redeliverTask(taskId))) {
        throw new GatewayError(
          'no_callback',
          callbackUrl === null
            ? 'the task was created without callback_url, and nothing of it was for an endpoint: there is nothing to deliver'
            : 'the task is archived: nothing is delivered any more; read its events instead',
        );
      }
      response.set('cache-control', 'no-store').json(await redeliveredResource(deliveries, taskId));
    })
    .all(onlyMethods('POST'));
}

function addSecretRoutes(
  router: Router,
  { authenticate, secrets, newSecret, read, bodies }: CallbackRoutesOptions,
): void {
  router
    .route('/v1/callback-secret')
    .get(authenticated(authenticate, 'secrets:read'), async (_request, response) => {
      response
        .set('cache-control', 'no-store')
        .json(secretResource(await secrets.valid(callerOf(response).accountId)));
    })
    .all(onlyMethods('GET'));
  router
    .route('/v1/callback-secret/rotate')
    .post(
      authenticated(authenticate, 'secrets:read'),
      bodies.small(bodyLimitBytes),
      async (request, response) => {
        const { accountId } = callerOf(response);
        const overlapSeconds = read.overlapSeconds(request.body);
        response
          .set('cache-control', 'no-store')
          .json(
            secretResource(
              await secrets.rotate({ accountId, secret: newSecret(), overlapSeconds }),
            ),
          );
      },
    )
    .all(onlyMethods('POST'));
}
