import { videoStatusSchema } from '@gateway/contracts';
import {
  dayParameters,
  idSchema,
  pageParameters,
  respondsWith,
  type Operation,
} from '../operation.ts';
import { get, listErrors, ofTask, post } from './admin-parts.ts';
import { eventResponses, placeParameters } from './events.ts';

/** `/admin/v1/tasks` and `/admin/v1/videos`: what an operator sees of tasks, and does to them. */
export const adminTaskOperations: readonly Operation[] = [
  get('adminListTasks', '/admin/v1/tasks', {
    summary: 'List the tasks of all accounts',
    responses: respondsWith(
      'AdminTaskList',
      'Tasks, newest first, including deleted ones whose rows still exist; archived ones too in the list of an account that names no provider, by id, and in the list without any filter.',
    ),
    errors: listErrors,
    query: [
      ...pageParameters(idSchema('task')),
      { name: 'id', schema: idSchema('task'), description: 'Only this task.' },
      {
        name: 'status',
        schema: videoStatusSchema,
        description: 'Only tasks with this status.',
      },
      { name: 'account', schema: idSchema('account'), description: 'Only tasks of this account.' },
      { name: 'model', schema: { type: 'string' }, description: 'Only tasks of this model.' },
      { name: 'provider', schema: { type: 'string' }, description: 'Only tasks at this provider.' },
      {
        name: 'stuck',
        schema: { type: 'string', enum: ['true', 'false'] },
        description:
          'Only unfinished tasks that are past their deadline, have failed three times in a row at their step, or were being sent five minutes ago.',
      },
      {
        name: 'older_than',
        schema: { type: 'string', pattern: '^[0-9]{1,8}[smhd]?$' },
        description: 'Only tasks created longer ago than this: seconds, or 30m, 12h, 7d.',
        example: '2h',
      },
    ],
  }),
  get('adminListEvents', '/admin/v1/events', {
    summary: 'Follow what happens to the tasks of all accounts',
    description:
      'With `Accept: text/event-stream`, a stream that does not end by itself: one event for each status of any task, with the task as its operator sees it. It begins with `ready` and up to a thousand of the last events, or where `Last-Event-ID` says. After `reset` read your lists again: too much has happened meanwhile. Otherwise JSON: what happened behind `after`, and where to go on. Either way an event may come more than once: by `task.id` and `sequence` it is the same. The stream ends when the session that opened it does.',
    ...placeParameters,
    responses: eventResponses('AdminTaskEventList'),
    errors: [...listErrors, 'rate_limit_exceeded'],
  }),
  get('adminGetTask', '/admin/v1/videos/{id}', {
    summary: 'Read everything about a task',
    description:
      'Where it stands, the statuses it took, its tries, its hold, its callback and its exposure; not what its customer wrote. Archived tasks and deleted ones whose rows still exist, too.',
    ids: { id: 'task' },
    responses: respondsWith('AdminTaskDetail', 'The task.'),
    errors: ofTask,
  }),
  post('adminCancelTask', '/admin/v1/videos/{id}/cancel', {
    summary: 'Cancel the task of a customer',
    description:
      'As the customer’s own cancellation: a task that no vendor was asked for ends at once, for any other its vendor is asked, and nothing is charged for a cancelled one. Journaled.',
    ids: { id: 'task' },
    responses: respondsWith('AdminTaskDetail', 'The cancelled task.'),
    errors: [...ofTask, 'not_cancellable', 'upstream_timeout'],
  }),
  get('adminReadJournal', '/admin/v1/journal', {
    summary: 'Read what operators changed',
    description:
      'Changes of accounts and keys, cancellations of tasks and redeliveries, over HTTP and on the command line alike, each with what was asked for.',
    responses: respondsWith('OperatorActionList', 'Actions, newest first.'),
    query: [
      ...pageParameters({ type: 'string', pattern: '^[1-9][0-9]{0,14}$' }),
      { name: 'account', schema: idSchema('account'), description: 'Only of this account.' },
    ],
    errors: listErrors,
  }),
  get('adminListCallbacks', '/admin/v1/videos/{id}/callbacks', {
    summary: 'Read the delivery log of a task',
    ids: { id: 'task' },
    responses: respondsWith('AdminCallbackAttemptList', 'Attempts, newest first.'),
    query: pageParameters(idSchema('attempt')),
    errors: [...listErrors, 'task_not_found'],
  }),
  post('adminRedeliver', '/admin/v1/videos/{id}/callbacks/redeliver', {
    summary: 'Deliver the newest status again',
    description: 'Journaled.',
    ids: { id: 'task' },
    responses: respondsWith('VideoRedelivery', 'The redelivery is under way.'),
    errors: [...ofTask, 'no_callback'],
  }),
  get('adminListTries', '/admin/v1/videos/{id}/tries', {
    summary: 'Read what a task was sent to its vendors',
    description:
      'One for each route that the task was handed to. A task that was never sent has none.',
    ids: { id: 'task' },
    responses: respondsWith('AdminTaskTryList', 'The tries, in their order.'),
    errors: ofTask,
  }),
  get('adminListUsage', '/admin/v1/accounts/{id}/usage', {
    summary: 'Read the usage of an account by day, model and key',
    ids: { id: 'account' },
    query: [
      ...dayParameters,
      { name: 'model', schema: { type: 'string' }, description: 'Only this model.' },
      { name: 'key_id', schema: { type: 'string' }, description: 'Only this key.' },
    ],
    responses: respondsWith('UsageList', 'One item for each day, model and key.'),
    errors: [...listErrors, 'account_not_found'],
  }),
];
