import express, { Router, type RequestHandler } from 'express';
import { createAjv } from '../http/ajv.ts';
import type { CallbackSender } from '../tasks/callbacks.ts';
import type { Lifecycle } from '../tasks/lifecycle.ts';
import { showInput } from '../tasks/inputs.ts';
import type { Task } from '../tasks/task.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import type { RenderCache } from '../render/render-cache.ts';
import type { TextJournal } from '../text/journal.ts';
import type { Activity } from './activity.ts';
import { faultActions, faultOperations, type Fault, type Faults } from './faults.ts';

export interface ControlDependencies {
  readonly access: 'loopback' | 'open';
  readonly store: TaskStore;
  readonly lifecycle: Lifecycle;
  readonly videos: Pick<RenderCache, 'stats'>;
  readonly callbacks: CallbackSender;
  readonly activity: Activity;
  readonly faults: Faults;
  readonly text: TextJournal;
  /** How every task is shown here, whatever format it came in by. */
  readonly show: (task: Task) => object;
}

const isFault = createAjv({ useDefaults: true }).compile<Fault>({
  type: 'object',
  additionalProperties: false,
  required: ['operation', 'action'],
  properties: {
    operation: { enum: faultOperations },
    action: { enum: faultActions },
    times: { type: 'integer', minimum: 1, default: 1 },
    status: { type: 'integer', minimum: 200, maximum: 599, default: 503 },
    delay_ms: { type: 'integer', minimum: 0, maximum: 600_000, default: 1_000 },
    retry_after_seconds: { type: 'integer', minimum: 0 },
  },
});

const loopback = /^(::ffff:)?127\.|^::1$/;

/** There is no key on these routes, so strangers are kept out by where they call from. */
const guard =
  (access: ControlDependencies['access']): RequestHandler =>
  (request, response, next) => {
    if (access === 'open' || loopback.test(request.socket.remoteAddress ?? '')) next();
    else {
      response.status(403).json({
        error: {
          message:
            'the control endpoint accepts connections on loopback only; SANDBOX_CONTROL=open changes that',
        },
      });
    }
  };

/** Shows what the vendor was asked, and makes it misbehave. */
export function controlRoutes(dependencies: ControlDependencies): Router {
  const { store, lifecycle, videos, callbacks, activity, faults, text } = dependencies;
  const router = Router();
  router.use(guard(dependencies.access), express.json());
  router.get('/stats', (_request, response) => {
    response.json({
      ...activity.counts(),
      tasks: store.counts(),
      renders: videos.stats(),
      callbacks: callbacks.stats(),
    });
  });
  routeTasks(router, dependencies);
  router.get('/text', (_request, response) => {
    response.json(text.show());
  });
  router.delete('/text', (_request, response) => {
    text.reset();
    response.status(204).end();
  });
  routeFaults(router, dependencies);
  router.post('/reset', (_request, response) => {
    lifecycle.abandon();
    callbacks.abandon();
    store.clear();
    faults.clear();
    activity.reset();
    text.reset();
    response.status(204).end();
  });
  return router;
}

function routeTasks(router: Router, { store, activity, show }: ControlDependencies): void {
  const detail = (task: Task): object => ({
    ...show(task),
    updated_at_ms: task.updatedAtMs,
    prompt: task.prompt,
    inputs: (task.inputs ?? []).map(showInput),
    directives: task.directives,
    polls: activity.pollsOf(task.id),
  });
  router.get('/tasks', (_request, response) => {
    response.json({ tasks: store.all().map(detail) });
  });
  router.get('/tasks/:id', (request, response) => {
    const task = store.get(request.params.id);
    if (task === undefined) response.status(404).json({ error: { message: 'no such task' } });
    else response.json(detail(task));
  });
}

function routeFaults(router: Router, { faults }: ControlDependencies): void {
  router.get('/faults', (_request, response) => {
    response.json({ faults: faults.list() });
  });
  router.post('/faults', (request, response) => {
    const fault: unknown = request.body;
    if (isFault(fault)) {
      faults.add(fault);
      response.status(201).json(fault);
      return;
    }
    const [problem] = isFault.errors ?? [];
    response.status(400).json({
      error: {
        message: `${problem?.instancePath ?? ''} ${problem?.message ?? 'is not a fault'}`.trim(),
        operations: faultOperations,
        actions: faultActions,
      },
    });
  });
  router.delete('/faults', (_request, response) => {
    faults.clear();
    response.status(204).end();
  });
}
