import { shapes, videoFailureCodeSchema, videoStatusSchema, type Schema } from '@gateway/contracts';
import { leaveCauses, taskSteps, tryOutcomes } from '@gateway/domain';
import type {
  adminEventResource,
  adminTaskDetailResource,
  adminTaskResource,
  holdResource,
  taskExposureResource,
  taskTryResource,
} from './admin-task-resource.ts';
import { eventPageOf } from './event-page-schema.ts';
import { pageOf, ref } from './resource-schemas.ts';
import { costSourceSchema, exposureKindSchema } from './word-schemas.ts';

const { constant, count, described, flag, listOf, moment, named, oneOf, orNull, schemaOf, text } =
  shapes;

const taskFields: Record<keyof ReturnType<typeof adminTaskResource>, Schema> = {
  id: text,
  object: constant('admin.task'),
  account_id: text,
  request_id: text,
  model: text,
  provider: text,
  vendor_task_id: orNull(text),
  status: videoStatusSchema,
  step: named('TaskStep', oneOf(taskSteps)),
  step_failures: described(count, 'Failures in a row at this step.'),
  max_billing_quota: count,
  billed_quota: orNull(count),
  error: orNull(
    schemaOf<{ code: string; message: string | null }>({
      code: videoFailureCodeSchema,
      message: orNull(text),
    }),
  ),
  age_seconds: described(count, 'Since its creation.'),
  created_at: moment,
  started_at: orNull(moment),
  completed_at: orNull(moment),
  expires_at: moment,
  deleted_at: orNull(moment),
};

const taskTry = schemaOf<ReturnType<typeof taskTryResource>>({
  object: constant('admin.task_try'),
  number: count,
  provider: text,
  upstream_model: text,
  vendor_task_id: orNull(text),
  submissions: described(count, 'How often it was sent; 0 where the task left the route before.'),
  outcome: described(orNull(oneOf(tryOutcomes)), 'Null while it is being sent.'),
  detail: described(orNull(text), 'What the vendor said.'),
  vendor_cost: described(orNull(text), 'A decimal number; null while it is not known.'),
  vendor_currency: orNull(text),
  cost_source: described(
    orNull(costSourceSchema),
    'Whether the vendor told it, or what it is counted by; or it was calculated.',
  ),
  created_at: moment,
  submitted_at: described(moment, 'When it was sent last.'),
  accepted_at: orNull(moment),
  ended_at: orNull(moment),
  left_because: described(
    orNull(oneOf(leaveCauses)),
    'Why the task went on to another route; null where it did not.',
  ),
});

const hold = schemaOf<ReturnType<typeof holdResource>>({
  quota: count,
  state: oneOf(['open', 'closed']),
  charged_quota: orNull(count),
  created_at: moment,
  closed_at: orNull(moment),
});

const exposure = schemaOf<ReturnType<typeof taskExposureResource>>({
  kind: exposureKindSchema,
  provider: text,
  vendor_task_id: orNull(text),
  detail: text,
  vendor_cost: described(orNull(text), 'A decimal number; null where it is not known.'),
  vendor_currency: orNull(text),
  created_at: moment,
});

const event = schemaOf<ReturnType<typeof adminTaskDetailResource>['events'][number]>({
  sequence: count,
  status: videoStatusSchema,
  at: moment,
});

/** What operators see of tasks: components of the document. */
export const adminTaskSchemas: Readonly<Record<string, Schema>> = {
  AdminTask: schemaOf<ReturnType<typeof adminTaskResource>>(taskFields),
  AdminTaskList: pageOf(ref('AdminTask')),
  AdminTaskEvent: schemaOf<ReturnType<typeof adminEventResource>>({
    object: constant('admin.task_event'),
    sequence: described(count, 'Grows with each status of the task.'),
    status: described(videoStatusSchema, 'The status that the task took.'),
    created_at: moment,
    task: ref('AdminTask'),
  }),
  AdminTaskEventList: eventPageOf(ref('AdminTaskEvent'), 'the tasks'),
  AdminTaskDetail: schemaOf<ReturnType<typeof adminTaskDetailResource>>({
    ...taskFields,
    key_id: text,
    upstream_model: text,
    admitted_at: described(orNull(moment), 'When it got its slot at the vendor.'),
    submitting_at: described(orNull(moment), 'When it was sent last.'),
    cancel_requested_at: described(
      orNull(moment),
      'Since when its vendor is to cancel it; null again once the vendor has refused.',
    ),
    archived: described(flag, 'Whether it lies in the archive.'),
    hold: described(orNull(hold), 'What was set aside for it, and what of that was charged.'),
    events: described(listOf(event), 'The statuses it took, oldest first.'),
    tries: described(listOf(ref('AdminTaskTry')), 'What it was sent to its vendors.'),
    callback: orNull(ref('Callback')),
    exposures: described(listOf(exposure), 'Vendor work for it that nobody is billed for.'),
  }),
  AdminTaskTry: taskTry,
  AdminTaskTryList: schemaOf<{ object: 'list'; data: unknown[] }>({
    object: constant('list'),
    data: listOf(ref('AdminTaskTry')),
  }),
};
