import { describe, expect, it } from '@jest/globals';
import type { VideoResource } from '@gateway/contracts';
import { checkCallbacks } from '../../chaos/checks/callbacks.ts';
import type { Evidence, StoredTask, VendorTask } from '../../chaos/checks/evidence.ts';
import { checkTasks } from '../../chaos/checks/tasks.ts';
import { checkVendor } from '../../chaos/checks/vendor.ts';
import { newExperience, type CallOutcome, type Experience } from '../../chaos/customer.ts';
import { planChaos, type VideoOrder } from '../../chaos/plan.ts';
import type { Arrival } from '../../chaos/receiver.ts';
import { taskKinds } from '../../chaos/task-kinds.ts';

const [someOrder] = planChaos({
  seed: 1,
  tasks: 1,
  texts: 0,
  forMs: 1,
  rounds: 1,
  workerPauseMs: 1,
  silencesMs: [1],
}).videos;
const order: VideoOrder = {
  ...someOrder!,
  ref: 'video-0',
  kind: taskKinds.find(({ name }) => name === 'plain')!,
  hasKey: true,
  callback: 'usual',
};
const lateOrder: VideoOrder = {
  ...order,
  kind: taskKinds.find(({ name }) => name === 'late')!,
};
const task: StoredTask = {
  id: 'video_1',
  account_id: 'acct_1',
  ref: 'video-0',
  status: 'succeeded',
  failure_code: null,
  vendor_task_id: 'cgt-1',
  events: 3,
  callback_state: 'verified',
  stop_reason: null,
  sha256: 'ab',
  exposures: [],
};
/** Rendered by the vendor, and out of reach at the deadline. */
const lostTask: StoredTask = {
  ...task,
  status: 'expired',
  failure_code: 'output_unavailable',
  exposures: ['output_lost'],
};
const resource = {
  portal_billing: { billed_duration_seconds: 4, billed_quota: 240 },
} as VideoResource;
const vendorTask: VendorTask = {
  id: 'cgt-1',
  safety_identifier: 'video_1',
  status: 'succeeded',
  content: { video_url: 'http://127.0.0.1/x' },
};
const created: CallOutcome = { kind: 'responded', status: 200, body: { id: 'video_1' } };

const experience = (change: Partial<Experience> = {}): Experience => ({
  ...newExperience(order),
  responses: [created],
  taskIds: new Set(['video_1']),
  ...change,
});
const push = (sequence: number, response: Arrival['reaction'] = 'ok'): Arrival => ({
  ref: 'video-0',
  reaction: response,
  push: {
    sequence,
    webhookId: `evt-${sequence}`,
    taskId: 'video_1',
    status: (['queued', 'running', 'succeeded'] as const)[sequence - 1]!,
    isTerminal: sequence === 3,
    billedQuota: sequence === 3 ? 240 : undefined,
  },
});
const evidence = (change: Partial<Evidence> = {}): Evidence => ({
  stack: undefined as never,
  customers: [],
  textCustomer: undefined as never,
  texts: [],
  experiences: [experience()],
  tasks: [task],
  vendorTasks: [vendorTask],
  arrivals: [push(1), push(2), push(3)],
  resources: new Map([['video_1', resource]]),
  ...change,
});

const problemsOf = (found: Evidence): string[] => [
  ...checkTasks(found),
  ...checkVendor(found).problems,
  ...checkCallbacks(found).problems,
];

const insufficient: CallOutcome = {
  kind: 'responded',
  status: 402,
  body: { error: { code: 'insufficient_quota' } },
};
const unavailable: CallOutcome = {
  kind: 'responded',
  status: 503,
  body: { error: { code: 'billing_unavailable' } },
};
const billed = (seconds: number, quota: number): Evidence['resources'] =>
  new Map([
    [
      'video_1',
      {
        portal_billing: { billed_duration_seconds: seconds, billed_quota: quota },
      } as VideoResource,
    ],
  ]);
const cutOff = { kind: 'broken', reason: 'ECONNRESET', begun: false } as const;

describe('what a chaos run compares', () => {
  it('finds nothing wrong where nothing is', () => {
    expect(problemsOf(evidence())).toEqual([]);
  });

  it.each<[string, Partial<Evidence>, RegExp]>([
    [
      'a promise without a task',
      { tasks: [], vendorTasks: [], arrivals: [] },
      /created with a 200 and does not exist/,
    ],
    [
      'a task that nobody asked for',
      {
        tasks: [
          task,
          { ...task, id: 'video_2', ref: 'video-9', vendor_task_id: null, status: 'failed' },
        ],
      },
      /nobody asked for/,
    ],
    [
      'two tasks for one order',
      {
        tasks: [
          task,
          {
            ...task,
            id: 'video_2',
            vendor_task_id: null,
            status: 'failed',
            failure_code: 'submission_unknown',
          },
        ],
        resources: new Map([
          ['video_1', resource],
          [
            'video_2',
            { portal_billing: { billed_duration_seconds: 0, billed_quota: 0 } } as VideoResource,
          ],
        ]),
      },
      /2 tasks for one order/,
    ],
    [
      'two tasks for one key',
      { experiences: [experience({ taskIds: new Set(['video_1', 'video_2']) })] },
      /one Idempotency-Key made 2 tasks/,
    ],
    [
      'a task after 402',
      { experiences: [experience({ responses: [insufficient], taskIds: new Set() })] },
      /although the response was insufficient_quota/,
    ],
    [
      'a task after a reservation that failed',
      { experiences: [experience({ responses: [unavailable], taskIds: new Set() })] },
      /although the response was billing_unavailable/,
    ],
    [
      'a key that was taken for another body',
      { experiences: [experience({ reuses: [created] })] },
      /another body under the same Idempotency-Key/,
    ],
    ['a task that never ends', { tasks: [{ ...task, status: 'running' }] }, /is still running/],
    [
      'another end than its kind has',
      {
        tasks: [{ ...task, status: 'failed', failure_code: 'vendor_error' }],
        resources: billed(0, 0),
      },
      /ended as failed \(vendor_error\)/,
    ],
    [
      'a finished video that is lost, before its deadline',
      {
        tasks: [lostTask],
        resources: billed(0, 0),
      },
      /ended as expired \(output_unavailable\)/,
    ],
    [
      'a late video that is lost, and nowhere in the books',
      {
        experiences: [experience({ order: lateOrder })],
        tasks: [{ ...lostTask, exposures: [] }],
        resources: billed(0, 0),
      },
      /ended as expired \(output_unavailable\)/,
    ],
    [
      'a cancellation that nobody wished for',
      { tasks: [{ ...task, status: 'cancelled' }], resources: billed(0, 0) },
      /ended as cancelled/,
    ],
    [
      'a confirmed cancellation that was none',
      { experiences: [experience({ cancels: [created] })] },
      /the cancellation was confirmed/,
    ],
    [
      'a second too much on the bill',
      { resources: billed(5, 300) },
      /billed 5 s, 300 quota; it has to be 4 s, 240/,
    ],
    [
      'a failure that is billed',
      {
        tasks: [
          {
            ...task,
            status: 'failed',
            failure_code: 'submission_unknown',
            exposures: ['submission_unknown'],
          },
        ],
      },
      /it has to be 0 s, 0/,
    ],
    [
      'a task that was created twice',
      { vendorTasks: [vendorTask, { ...vendorTask, id: 'cgt-2' }] },
      /created 2 times at the vendor/,
    ],
    [
      'vendor work that belongs to nothing',
      {
        vendorTasks: [vendorTask, { id: 'cgt-2', safety_identifier: 'video_9', status: 'failed' }],
      },
      /which does not exist/,
    ],
    [
      'a vendor task that is not there',
      { vendorTasks: [] },
      /its vendor task cgt-1 does not exist/,
    ],
    [
      'a success without a vendor task',
      { tasks: [{ ...task, vendor_task_id: null }] },
      /succeeded without a vendor task/,
    ],
    [
      'a render that nobody is billed for and nobody noted',
      { tasks: [{ ...task, status: 'expired', failure_code: 'expired' }], resources: billed(0, 0) },
      /no exposure says so/,
    ],
    [
      'an older push after a newer one',
      { arrivals: [push(2), push(1), push(3)] },
      /push 1 \(queued\) arrived after push 2/,
    ],
    [
      'a push after the terminal one',
      {
        arrivals: [
          push(1),
          push(3),
          { ...push(3), push: { ...push(3).push!, sequence: 4, webhookId: 'evt-4' } },
        ],
      },
      /arrived after the terminal one/,
    ],
    [
      'a push that changes its id',
      {
        arrivals: [
          push(1),
          { ...push(1), push: { ...push(1).push!, webhookId: 'evt-x' } },
          push(2),
          push(3),
        ],
      },
      /push 1 came as/,
    ],
    [
      'a last push that never comes',
      { arrivals: [push(1), push(2)] },
      /the last push that was taken says running \(2 of 3\)/,
    ],
    [
      'a last push that says another bill',
      { arrivals: [push(1), { ...push(3), push: { ...push(3).push!, billedQuota: 0 } }] },
      /the last push that was taken/,
    ],
    [
      'pushing that stopped too early',
      {
        tasks: [{ ...task, callback_state: 'stopped', stop_reason: 'exhausted' }],
        arrivals: [push(1), ...Array.from({ length: 5 }, () => push(3, 'error'))],
      },
      /failed 5 times in a row, not 6/,
    ],
  ])('finds %s', (_what, change, problem) => {
    expect(problemsOf(evidence(change))).toContainEqual(expect.stringMatching(problem));
  });

  it.each<[string, Partial<Evidence>]>([
    [
      'a task whose response was lost',
      { experiences: [experience({ responses: [cutOff], taskIds: new Set() })] },
    ],
    ['a push that came twice', { arrivals: [push(1), push(1), push(2), push(3, 'hang'), push(3)] }],
    ['a status that a newer one superseded', { arrivals: [push(1, 'error'), push(3)] }],
    [
      'pushing that stopped when the budget was used up',
      {
        tasks: [{ ...task, callback_state: 'stopped', stop_reason: 'exhausted' }],
        arrivals: Array.from({ length: 6 }, () => push(1, 'error')),
      },
    ],
    [
      'a lost submission that was noted',
      {
        tasks: [
          {
            ...task,
            status: 'failed',
            failure_code: 'submission_unknown',
            vendor_task_id: null,
            exposures: ['submission_unknown'],
          },
        ],
        resources: billed(0, 0),
        arrivals: [
          {
            ...push(2),
            push: {
              ...push(2).push!,
              status: 'failed',
              isTerminal: true,
              sequence: 3,
              billedQuota: 0,
            },
          },
        ],
      },
    ],
    [
      'a late video whose file was lost at its deadline, as the books say',
      {
        experiences: [experience({ order: lateOrder })],
        tasks: [lostTask],
        resources: billed(0, 0),
        arrivals: [
          {
            ...push(3),
            push: { ...push(3).push!, status: 'expired', billedQuota: 0 },
          },
        ],
      },
    ],
  ])('lets %s pass', (_what, change) => {
    expect(problemsOf(evidence(change))).toEqual([]);
  });
});
