import express, {
  Router,
  type ErrorRequestHandler,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import { applyFaults } from '../control/apply-fault.ts';
import type { FaultOperation } from '../control/faults.ts';
import { listDirectives } from '../directive-syntax.ts';
import { requireHeader } from '../http/authenticate.ts';
import {
  createHandler,
  isBroken,
  respondToPoll,
  taskOf,
  type TaskWords,
} from '../tasks/handlers.ts';
import { pollResponse } from '../tasks/directives.ts';
import { isTerminal, type Task } from '../tasks/task.ts';
import type { SimulatedVendor, VendorCore } from '../tasks/vendor.ts';
import { createTaskOf } from './create-task.ts';
import { asRefusal, refuseBy, type Refuse } from './refusal.ts';
import { shownTask } from './show-task.ts';
import type { Reply, ShownTask, VendorTable } from './table.ts';

/** A simulated vendor from its table. */
export const tableVendor = <Body>(table: VendorTable<Body>): SimulatedVendor => ({
  format: table.format,
  path: table.path,
  speaks: table.speaks,
  listing: {
    [table.format.replaceAll('-', '_')]: {
      routes: routesOf(table),
      models: table.models,
      ...(table.quirks !== undefined && { directives: listDirectives(table.quirks) }),
    },
  },
  show: (task) => table.show(shownTask(task, table)),
  routes: (core) => routes(table, core),
});

/** What the routes of a vendor work with. */
interface TableCore extends VendorCore {
  readonly refuse: Refuse;
}

/** As `GET /` lists them. */
const routesOf = <Body>({
  path,
  create,
  read,
  result,
  batch,
  cancel,
}: VendorTable<Body>): string[] =>
  [
    ...create.paths.map((one) => `POST ${path}${one}`),
    ...[read, result, batch].map((poll) => poll && `GET ${path}${poll.path}`),
    cancel && `${cancel.method.toUpperCase()} ${path}${cancel.path}`,
  ].flatMap((route) => route?.replace(/[:*](\w+)/g, '{$1}') ?? []);

function routes<Body>(table: VendorTable<Body>, vendorCore: VendorCore): Router {
  const { key, requires, create } = table;
  const core: TableCore = { ...vendorCore, refuse: refuseBy(table.refusals) };
  const router = Router();
  const value = `${key.prefix}${core.apiKey}`;
  router.use(requireHeader({ name: key.header, value }, () => core.refuse('unauthorized')));
  if (requires !== undefined) {
    const { header: name } = requires;
    const sentence = `The header ${name} must be ${requires.value}.`;
    router.use(
      requireHeader({ name, value: requires.value }, () => core.refuse('invalid', sentence)),
    );
  }
  for (const path of create.paths) router.post(path, ...creation(table, core));
  addPolls(router, table, core);
  router.use(({ method, path }) => {
    throw core.refuse('notFound', `${method} ${path} does not exist`, { status: 404 });
  });
  return router.use(responder(table));
}

function addPolls<Body>(router: Router, table: VendorTable<Body>, core: TableCore): void {
  const { read, result, batch, cancel } = table;
  if (batch !== undefined) {
    router.get(batch.path, ...guards('list', core), batchHandler(table, { ...core, batch }));
  }
  if (read !== undefined) {
    router.get(read.path, ...guards('get', core), readHandler(table, { ...core, read }));
  }
  if (result !== undefined) {
    router.get(result.path, ...guards('get', core), resultHandler(table, { ...core, result }));
  }
  if (cancel !== undefined) {
    router[cancel.method](
      cancel.path,
      ...guards('delete', core),
      cancelHandler(table, { ...core, cancel }),
    );
  }
}

const creation = <Body>(table: VendorTable<Body>, core: TableCore): RequestHandler[] => [
  applyFaults(core, 'create'),
  express.json({ limit: core.maxBodyBytes }),
  createHandler({
    ...core,
    words: wordsOf(table, core),
    createTask: createTaskOf(table, {
      ...core,
      admit: core.admission(() => core.refuse('rateLimited')),
    }),
  }),
];

const guards = (
  operation: FaultOperation & keyof VendorCore['limiters'],
  core: TableCore,
): RequestHandler[] => [
  applyFaults(core, operation),
  (_request, _response, next) => {
    if (!core.limiters[operation].take()) throw core.refuse('rateLimited');
    next();
  },
];

const wordsOf = <Body>(
  table: VendorTable<Body>,
  { refuse }: TableCore,
): Pick<TaskWords, 'format' | 'created' | 'createdStatus' | 'notFound'> => ({
  format: table.format,
  created: (task) => table.create.response(shownTask(task, table)),
  ...(table.create.status !== undefined && { createdStatus: table.create.status }),
  notFound: () => refuse('notFound'),
});

const send = (response: Response, { status, body }: Reply): void => {
  response.status(status);
  if (body === undefined) response.end();
  else response.json(body);
};

function readHandler<Body>(
  table: VendorTable<Body>,
  core: TableCore & { readonly read: NonNullable<VendorTable['read']> },
): RequestHandler {
  const words = wordsOf(table, core);
  return async (request, response) => {
    core.activity.count('gets');
    const task = taskOf({ ...core, words }, String(request.params['id']));
    const poll = core.activity.countPoll(task.id);
    const planned = pollResponse(task.directives, poll);
    if (planned === 'missing') throw core.refuse('notFound');
    const status = planned === 'odd_status' ? 'preparing' : undefined;
    const shown = shownTask(signed(task, { table, core }), table, status);
    const reply = core.read.reply;
    if (isBroken(planned) || reply === undefined) {
      respondToPoll(response, planned, table.show(shown));
    } else send(response, await reply(shown, { ...core, poll }));
  };
}

const resultHandler = <Body>(
  table: VendorTable<Body>,
  core: TableCore & { readonly result: NonNullable<VendorTable['result']> },
): RequestHandler => {
  const words = wordsOf(table, core);
  return (request, response) => {
    const task = taskOf({ ...core, words }, String(request.params['id']));
    const poll = core.activity.countPoll(`${task.id}/result`);
    const shown = shownTask(signed(task, { table, core }), table);
    send(response, core.result.reply(shown, { ...core, poll }));
  };
};

/** The task with a link that works, of a vendor that signs anew. */
function signed<Body>(
  task: Task,
  { table, core }: { readonly table: VendorTable<Body>; readonly core: VendorCore },
): Task {
  const { output } = task;
  if (table.resigns !== true || output === undefined) return task;
  if (core.links.find(output.file.token) !== undefined) return task;
  const { spec, directives } = output.file;
  const renewed: Task = {
    ...task,
    output: core.links.publish({ spec, directives, lastFrame: false }),
  };
  core.store.put(renewed);
  return renewed;
}

/** Tasks that are not known, or not yet, are left out; what goes wrong for one goes wrong for all. */
function batchHandler<Body>(
  table: VendorTable<Body>,
  core: TableCore & { readonly batch: NonNullable<VendorTable['batch']> },
): RequestHandler {
  const { batch, refuse, activity, store } = core;
  const all = (): ShownTask[] =>
    store
      .all()
      .filter(({ format }) => format === table.format)
      .map((task) => shownTask(task, table));
  const planOf = ({ task }: ShownTask) =>
    pollResponse(task.directives, activity.countPoll(task.id));
  return ({ query }: Request, response: Response) => {
    activity.count('lists');
    const named = batch
      .select(query, { tasks: all(), refuse })
      .map((shown) => ({ shown, planned: planOf(shown) }))
      .filter(({ planned }) => planned !== 'missing');
    const tasks = named.map(({ shown: { task }, planned }) =>
      table.show(shownTask(task, table, planned === 'odd_status' ? 'preparing' : undefined)),
    );
    const wrong = named.map(({ planned }) => planned).find((one) => isBroken(one));
    respondToPoll(response, wrong ?? 'task', batch.listed(tasks));
  };
}

function cancelHandler<Body>(
  table: VendorTable<Body>,
  core: TableCore & { readonly cancel: NonNullable<VendorTable['cancel']> },
): RequestHandler {
  const words = wordsOf(table, core);
  const { cancel, store, lifecycle, refuse, activity } = core;
  return (request, response) => {
    activity.count('deletes');
    const task = taskOf({ store, words }, String(request.params['id']));
    if (cancel.cancels.includes(task.status)) lifecycle.cancel(task);
    else if (cancel.erases === true && isTerminal(task.status)) store.remove(task.id);
    else throw refuse('notCancellable');
    send(response, cancel.reply(shownTask(store.get(task.id) ?? task, table)));
  };
}

const responder =
  <Body>({ refusals, writeRefusal }: VendorTable<Body>): ErrorRequestHandler =>
  // eslint-disable-next-line max-params -- Express knows an error handler by its four parameters
  (thrown, _request, response, next) => {
    if (response.headersSent) {
      next(thrown);
      return;
    }
    const refusal = asRefusal(thrown, refusals);
    response
      .status(refusal.status)
      .set(refusal.headers)
      .json(writeRefusal(refusal, response.locals['requestId'] as string));
  };
