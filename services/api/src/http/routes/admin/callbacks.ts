import { Router, type RequestHandler } from 'express';
import type { OperatorRedeliveryBody } from '@gateway/contracts';
import type { TaskCallback, TaskCallbacks } from '@gateway/store';
import { readField } from '../../../use-cases/query-field.ts';
import { readAccount } from '../../../use-cases/read-admin-query.ts';
import { pageNames, readPageQuery } from '../../../use-cases/read-page-query.ts';
import type { Redelivered } from '../../../use-cases/redeliver-many.ts';
import { listOf } from '../../list-resource.ts';
import { onlyMethods } from '../../methods.ts';
import { knownQuery } from '../../request-parts.ts';
import {
  redeliveryResource,
  stateField,
  taskCallbackResource,
  taskIds,
} from '../account-callbacks.ts';

export interface AdminCallbackRoutesOptions {
  readonly callbackPage: TaskCallbacks['pageOfAll'];
  /** Each redelivery is journaled. */
  readonly redeliverMany: (asked: OperatorRedeliveryBody) => Promise<Redelivered>;
  readonly read: (body: unknown) => OperatorRedeliveryBody;
  /** Reads a JSON body, which may be absent. */
  readonly json: RequestHandler;
}

/** `/admin/v1/callbacks`: where the callbacks of all tasks of all accounts stand. */
export function adminCallbackRoutes(options: AdminCallbackRoutesOptions): Router {
  const { callbackPage, redeliverMany, read, json } = options;
  const router = Router();
  router
    .route('/admin/v1/callbacks')
    .get(async (request, response) => {
      const query = knownQuery(request, [...pageNames, 'state', 'account']);
      const { items, hasMore, firstId, lastId } = await callbackPage({
        accountId: readAccount(query),
        state: readField('state', query['state'], stateField),
        ...readPageQuery(query, taskIds),
      });
      response.json({
        ...listOf({ items, hasMore }, adminCallbackResource),
        first_id: firstId,
        last_id: lastId,
      });
    })
    .all(onlyMethods('GET'));
  router
    .route('/admin/v1/callbacks/redeliver')
    .post(json, async (request, response) => {
      const asked = read(request.body);
      response.json(redeliveryResource(await redeliverMany(asked), asked.isDryRun));
    })
    .all(onlyMethods('POST'));
  return router;
}

/** Without the path of the address, which is its customer’s own and may hold a secret. */
export const adminCallbackResource = (callback: TaskCallback) => {
  const { callback_url: url, endpoint_id: _none, ...shown } = taskCallbackResource(callback);
  return {
    ...shown,
    object: 'admin.callback',
    account_id: callback.accountId,
    origin: URL.canParse(url) ? new URL(url).origin : null,
  };
};
