import { jsonRoutes, type JsonFormat } from '../tasks/routes.ts';
import type { SimulatedVendor } from '../tasks/vendor.ts';
import { createTask } from './create-task.ts';
import { errorResponder, MiniMaxError } from './errors.ts';
import { models } from './models.ts';
import { toTaskObject } from './task-object.ts';

const pageNumber = (value: unknown, absent: number): number => {
  if (value === undefined) return absent;
  if (typeof value === 'string' && /^[1-9]\d{0,2}$/.test(value)) return Number(value);
  throw new MiniMaxError(2013, 'invalid params, page_num and page_size must be from 1 to 999');
};

const wireFormat: JsonFormat = {
  words: {
    format: 'minimax',
    created: ({ id }) => ({ task_id: id }),
    shown: (task, status) => ({ task: toTaskObject(task, status) }),
    notFound: () => new MiniMaxError(2013, 'invalid params, invalid task_id', 404),
    notRemovable: (status) =>
      new MiniMaxError(
        2013,
        `invalid params, a task that is ${status} can be neither cancelled nor deleted`,
      ),
    removed: (response, { id, status }) => {
      response.json(
        status === 'queued'
          ? { task_id: id, action: 'cancel', status: 'cancelled' }
          : { task_id: id, action: 'delete', status: 'deleted' },
      );
    },
  },
  paths: {
    create: '/video_generation',
    list: '/query/video_generation',
    read: '/query/video_generation/:id',
    remove: '/video_generation/:id',
  },
  unauthorized: () =>
    new MiniMaxError(
      1004,
      "login fail: Please carry the API secret key in the 'Authorization' field of the request header",
    ),
  tooManyRequests: () => new MiniMaxError(1002, 'rate limit'),
  readQuery: (query) => ({
    page: pageNumber(query['page_num'], 1),
    pageSize: pageNumber(query['page_size'], 20),
  }),
  listed: (total, tasks) => ({ total, tasks: tasks.map((task) => toTaskObject(task)) }),
};

/** The second video interface of MiniMax. */
export const minimax: SimulatedVendor = {
  format: 'minimax',
  path: '/v2',
  speaks: 'the second video interface of MiniMax',
  listing: {
    minimax: {
      routes: [
        'POST /v2/video_generation',
        'GET /v2/query/video_generation',
        'GET /v2/query/video_generation/{id}',
        'DELETE /v2/video_generation/{id}',
      ],
      models: Object.keys(models),
    },
  },
  show: toTaskObject,
  routes: (core) =>
    jsonRoutes(wireFormat, {
      ...core,
      createTask: createTask({
        ...core,
        admit: core.admission(
          () => new MiniMaxError(1002, 'The requests per minute of this endpoint are used up.'),
        ),
      }),
    }).use(errorResponder),
};
