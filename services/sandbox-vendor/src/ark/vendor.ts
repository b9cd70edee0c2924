import { jsonRoutes, type JsonFormat } from '../tasks/routes.ts';
import type { SimulatedVendor } from '../tasks/vendor.ts';
import { createTask, tooManyCreates } from './create-task.ts';
import { ArkError } from './errors.ts';
import { readListQuery } from './list-query.ts';
import { models } from './models.ts';
import { toTaskObject } from './task-object.ts';

const wireFormat: JsonFormat = {
  words: {
    format: 'ark',
    created: ({
      id,
      parameters: {
        echo: { safety_identifier: safetyIdentifier },
      },
    }) => ({ id, ...(safetyIdentifier !== undefined && { safety_identifier: safetyIdentifier }) }),
    shown: (task, status = task.status) => ({ ...toTaskObject(task), status }),
    notFound: (taskId) =>
      new ArkError('NotFound', `The task ${taskId} was not found.`, {
        detail: 'TaskNotFound',
        param: 'id',
      }),
    notRemovable: (status) =>
      new ArkError(
        'OperationDenied',
        `A task that is ${status} can be neither cancelled nor deleted.`,
        { detail: 'TaskStatus' },
      ),
    removed: (response) => {
      response.status(204).end();
    },
  },
  paths: { create: '/', list: '/', read: '/:id', remove: '/:id' },
  unauthorized: () =>
    new ArkError('AuthenticationError', 'The API key in the request is missing or invalid.'),
  tooManyRequests: () =>
    new ArkError('AccountRateLimitExceeded', 'The request rate of the account is used up.'),
  readQuery: readListQuery,
  listed: (total, tasks) => ({ total, items: tasks.map(toTaskObject) }),
};

/** The contents-generation tasks of the Ark API. */
export const ark: SimulatedVendor = {
  format: 'ark',
  path: '/api/v3/contents/generations/tasks',
  speaks: 'the Ark contents-generation format',
  listing: { base_url: '/api/v3', models: Object.keys(models) },
  show: toTaskObject,
  routes: (core) =>
    jsonRoutes(wireFormat, {
      ...core,
      createTask: createTask({
        ...core,
        rules: { minExpiresAfterSeconds: core.isStrict ? 3_600 : 1, random: core.random },
        admit: core.admission(tooManyCreates),
      }),
    }),
};
