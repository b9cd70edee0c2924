import { expect } from '@jest/globals';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { VideoResource } from '@gateway/contracts';
import { isTerminal } from '@gateway/domain';
import { probeMp4, sourceFromBytes } from '@gateway/media';
import { crashPoints, type CrashPointName } from '@gateway/runtime';
import { eventually, openReceiver, type Receiver } from '@gateway/testing';
import {
  openSuite,
  posters,
  type Customer,
  type SuiteOptions,
  type SuiteUnderTest,
} from '../../e2e/harness.ts';

type Environment = Readonly<Record<string, string>>;
type Row = Record<string, unknown>;

/** Every name of these steps, such as `submit`. */
export const pointsOf = (...steps: readonly string[]): CrashPointName[] =>
  (Object.keys(crashPoints) as CrashPointName[]).filter((point) =>
    steps.includes(point.split('.')[0]!),
  );

export type PointOf<Step extends string> = Extract<CrashPointName, `${Step}.${string}`>;

export const quotaGiven = 1_000_000;
/** Four seconds at 480p. */
export const billedQuota = 240;

/** How a task must end although a process died. */
export interface Ending {
  readonly status: VideoResource['status'];
  readonly code?: string;
  /** Whether the vendor ever took it. */
  readonly sent: boolean;
}

export const succeeds: Ending = { status: 'succeeded', sent: true };
export const cancelled: Ending = { status: 'cancelled', code: 'cancelled', sent: true };

/** The whole suite, whose processes die where a story wants it. */
export interface CrashStage {
  readonly gateway: SuiteUnderTest;
  readonly receiver: Receiver;
  readonly customer: Customer;
  /** The service dies at the nth arrival of this task at this point, or of any. */
  order(point: CrashPointName, subject?: string, arrival?: number): Promise<void>;
  /** Starts a service that is down, without waiting: it may die at once. */
  launch(service: string): void;
  /** Waits for the death that was ordered; the service stays down. */
  death(point: CrashPointName): Promise<void>;
  /** Starts the service that has died there, and waits until it is ready. */
  revive(point: CrashPointName): Promise<void>;
  create(prompt: string, more?: object): Promise<string>;
  /** A request whose response does not come when the api dies. */
  send(
    method: string,
    path: string,
    body?: object,
    headers?: Record<string, string>,
  ): Promise<{ status: number; headers: Headers; body: unknown } | undefined>;
  sql(text: string, ...values: unknown[]): Promise<Row[]>;
  fault(fault: object): Promise<void>;
  /**
   * Waits until the task is over, and holds everything about it against what should have come of
   * it.
   */
  endsAs(taskId: string, ending: Ending): Promise<void>;
  /**
   * Waits until every hold is closed; then all invariants hold, and the customer has paid for this
   * many videos.
   */
  booksAreRight(succeeded: number): Promise<void>;
  close(): Promise<void>;
}

const preload = pathToFileURL(path.join(import.meta.dirname, 'die-at.js')).href;
const patience = { withinMs: 120_000, everyMs: 100 };

interface CrashStageOptions extends Pick<
  SuiteOptions,
  'activeVideos' | 'deadlines' | 'moreProviders' | 'moreModels'
> {
  /** More settings, by service name. */
  readonly env?: Readonly<Record<string, Environment>>;
}

export async function openCrashStage({
  env = {},
  ...options
}: CrashStageOptions = {}): Promise<CrashStage> {
  const orders = await mkdtemp(path.join(os.tmpdir(), 'gateway-crash-orders-'));
  const mortal = { CRASH_ORDERS: orders, NODE_OPTIONS: `--import ${preload}` };
  const gateway = await openSuite({
    ...options,
    moreEnv: {
      ...env,
      api: { ...mortal, ...env['api'] },
      billing: { ...mortal, ORPHAN_GRACE_SECONDS: '5', ...env['billing'] },
      'video-worker': { ...mortal, ...posters, ...env['video-worker'] },
      'callback-dispatcher': {
        ...mortal,
        CALLBACK_TIMEOUT_MS: '1000',
        ...env['callback-dispatcher'],
      },
    },
  });
  const receiver = await openReceiver();
  const customer = await gateway.aCustomer(quotaGiven);
  const { suite } = gateway;
  const sql: CrashStage['sql'] = async (text, ...values) =>
    (await gateway.database.pool.query<Row>(text, values)).rows;
  const ordered = new Map<CrashPointName, string>();

  return {
    gateway,
    receiver,
    customer,
    sql,
    async order(point, subject = 'any', arrival = 1) {
      const file = path.join(orders, `${point}@${subject}`);
      ordered.set(point, file);
      await writeFile(file, String(arrival));
    },
    launch(service) {
      // It ends with an error when the process is stopped, or dies, before it is ready.
      suite.startService(service).catch(() => undefined);
    },
    async death(point) {
      const { service } = crashPoints[point];
      const order = ordered.get(point);
      if (order === undefined) throw new Error(`no death was ordered at ${point}`);
      await eventually(
        () => {
          if (existsSync(order)) throw new Error(`${service} has not reached ${point}`);
        },
        { withinMs: 45_000, everyMs: 10 },
      );
      await suite.stopService(service);
    },
    revive: (point) => suite.startService(crashPoints[point].service),
    async create(prompt, more = {}) {
      const body = {
        model: 'sandbox-video',
        prompt,
        duration: 4,
        resolution: '480p',
        callback_url: receiver.url,
        ...more,
      };
      const deadline = Date.now() + 30_000;
      let created = await customer.request('POST', '/v1/videos', body);
      // A service that has just come back may not be found at once: a 503 made nothing, and clients
      // ask again.
      while (created.status === 503 && Date.now() < deadline) {
        created = await customer.request('POST', '/v1/videos', body);
      }
      expect(created.status).toBe(200);
      return (created.body as VideoResource).id;
    },
    send: (...request) => customer.request(...request).catch(() => undefined),
    async fault(fault) {
      const { status } = await fetch(`${suite.sandboxUrl}/control/faults`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(fault),
      });
      expect(status).toBe(201);
    },
    async endsAs(taskId, { status, code, sent }) {
      const ended = await eventually(async () => {
        const task = (await customer.request('GET', `/v1/videos/${taskId}`)).body as VideoResource;
        if (!isTerminal(task.status)) throw new Error(`task is ${task.status}`);
        return task;
      }, patience);
      const quota = status === 'succeeded' ? billedQuota : 0;
      expect({
        status: ended.status,
        code: code === undefined && status === 'failed' ? undefined : ended.error?.code,
        billed: ended.portal_billing.billed_quota,
      }).toEqual({ status, code, billed: quota });
      expect(await vendorTasksOf(suite.sandboxUrl, taskId)).toHaveLength(sent ? 1 : 0);
      if (status === 'succeeded') {
        const video = new Uint8Array(await (await fetch(ended.content!.video_url)).arrayBuffer());
        expect(await probeMp4(sourceFromBytes(video))).toMatchObject({
          container: 'mp4',
          seconds: expect.closeTo(4, 1),
        });
      }
      await eventually(async () => {
        const [hold] = await sql(
          'SELECT state, charged_quota FROM hold WHERE task_id = $1',
          taskId,
        );
        expect(hold).toEqual({ state: 'closed', charged_quota: quota });
      }, patience);
      const events = await sql(
        'SELECT sequence, status FROM task_event WHERE task_id = $1 ORDER BY sequence',
        taskId,
      );
      await eventually(() => {
        pushesAreInOrder(receiver, taskId, events);
      }, patience);
    },
    async booksAreRight(succeeded) {
      await eventually(async () => {
        expect(await sql(`SELECT task_id FROM hold WHERE state = 'open'`)).toEqual([]);
      }, patience);
      await eventually(async () => {
        expect(await gateway.admin('billing', 'verify', '--grace', '0')).toMatchObject({ code: 0 });
      }, patience);
      const { output } = await gateway.admin(
        'account',
        'balance',
        '--account',
        customer.accountId,
        '--json',
      );
      expect(JSON.parse(output)).toMatchObject({
        balance_quota: quotaGiven - succeeded * billedQuota,
        held_quota: 0,
      });
    },
    async close() {
      await receiver.close();
      await gateway.close();
      await rm(orders, { recursive: true, force: true });
    },
  };
}

/** What the vendor took for this task of ours, found by the correlation that it was sent with. */
async function vendorTasksOf(sandboxUrl: string, taskId: string): Promise<unknown[]> {
  const { tasks } = (await (await fetch(`${sandboxUrl}/control/tasks`)).json()) as {
    tasks: { safety_identifier?: string }[];
  };
  return tasks.filter(({ safety_identifier: correlation }) => correlation === taskId);
}

/** Every event arrived, none after a newer one, and one that came twice came under the same id. */
function pushesAreInOrder(receiver: Receiver, taskId: string, events: readonly Row[]): void {
  const own = receiver
    .pushes()
    .filter(({ body }) => body.id === taskId)
    .map(({ headers, body }) => ({
      sequence: Number(headers['x-gateway-sequence']),
      status: body.status,
      id: headers['webhook-id'],
    }));
  const sequences = own.map(({ sequence }) => sequence);
  expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
  const distinct = new Map(own.map(({ id, sequence, status }) => [id, { sequence, status }]));
  expect([...distinct.values()]).toEqual(events);
}
