import { operatorRedeliverySchema, shapes, type Schema } from '@gateway/contracts';
import { pageOf, ref } from '../../http/resource-schemas.ts';
import type { adminCallbackResource } from '../../http/routes/admin/callbacks.ts';
import { deliveryStateSchema } from '../../http/word-schemas.ts';
import { idSchema, pageParameters, respondsWith, type Operation } from '../operation.ts';
import { taskCallbackFields } from './account-callbacks.ts';
import { bodyErrors, bodyOf, get, listErrors, post } from './admin-parts.ts';

const { constant, described, orNull, schemaOf, text } = shapes;
const { callback_url: _url, endpoint_id: _endpoint, ...fields } = taskCallbackFields;

export const adminCallbackSchemas: Readonly<Record<string, Schema>> = {
  AdminRedeliveryRequest: operatorRedeliverySchema,
  AdminCallback: schemaOf<ReturnType<typeof adminCallbackResource>>({
    ...fields,
    object: constant('admin.callback'),
    account_id: text,
    origin: described(orNull(text), 'Scheme, host and port of `callback_url`, without its path.'),
  }),
  AdminCallbackList: pageOf(ref('AdminCallback')),
};

/** `/admin/v1/callbacks`: the callbacks of all tasks of all accounts. */
export const adminCallbackOperations: readonly Operation[] = [
  get('adminListAllCallbacks', '/admin/v1/callbacks', {
    summary: 'List where the callbacks of all accounts stand',
    description:
      'A page looks through 100 tasks at most: it may have fewer items than `limit`, or none, and yet `has_more`. Then `last_id` says how far it got. Of one account it is the list that its owner sees. Of all accounts, failing and stopped ones are looked for among those alone that are in trouble, and deleted tasks whose rows still exist are in the list. Archived ones never are.',
    query: [
      ...pageParameters(idSchema('task')),
      { name: 'state', schema: deliveryStateSchema, description: 'Only callbacks in this state.' },
      { name: 'account', schema: idSchema('account'), description: 'Only of this account.' },
    ],
    responses: respondsWith(
      'AdminCallbackList',
      'One item for each task with a callback, newest task first.',
    ),
    errors: listErrors,
  }),
  post('adminRedeliverMany', '/admin/v1/callbacks/redeliver', {
    summary: 'Deliver the newest status of many tasks again',
    description:
      'Takes those of the next hundred tasks that are in this state, of all accounts or of one: repeat it with `after: last_id` while `has_more`. With `dry_run` it only says which. Repeating it does no harm. One request at a time. Each redelivery is journaled.',
    body: bodyOf('AdminRedeliveryRequest', 'How many were given up', {
      state: 'stopped',
      dry_run: true,
    }),
    responses: respondsWith('CallbackRedelivery', 'What is pushed again, and where to go on.'),
    errors: [...bodyErrors, 'rate_limit_exceeded'],
  }),
];
