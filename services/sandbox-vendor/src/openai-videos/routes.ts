import express, { Router, type RequestHandler } from 'express';
import {
  createHandler,
  readHandler,
  removeHandler,
  taskOf,
  type TaskHandling,
  type TaskWords,
} from '../tasks/handlers.ts';
import { applyFaults } from '../control/apply-fault.ts';
import type { FaultOperation } from '../control/faults.ts';
import { sendFile } from '../files/routes.ts';
import { failures, TextFailure } from '../text/failures.ts';
import { authenticate, failureResponder } from '../text/routes.ts';
import type { VendorCore } from '../tasks/vendor.ts';
import { createVideo } from './create-video.ts';
import { readCreateFields, type CreateFields } from './read-body.ts';
import { toVideoObject } from './video-object.ts';

/**
 * The OpenAI videos API under `/v1/videos`: the key is asked for on every route, that of the file
 * too.
 */
export function openaiVideosRoutes(core: VendorCore): Router {
  const { apiKey, maxBodyBytes, log, now } = core;
  const handling: TaskHandling = {
    ...core,
    words,
    createTask: (fields) => createVideo(fields as CreateFields, now),
  };
  const faulty = (operation: FaultOperation): RequestHandler => applyFaults(core, operation);
  const router = Router();
  router.use((_request, response, next) => {
    response.locals['dialect'] = 'chat'; // whose errors, keys and ids are the same
    next();
  });
  router.use(authenticate(apiKey));
  router.post(
    '/',
    faulty('create'),
    express.raw({ type: () => true, limit: maxBodyBytes }),
    readFields,
    createHandler(handling),
  );
  router.get('/', faulty('list'), list(core));
  router.get('/:id', faulty('get'), readHandler(handling));
  router.delete('/:id', faulty('delete'), refuseQueued(core), removeHandler(handling));
  router.get('/:id/content', faulty('file'), content(core));
  router.use(({ method, baseUrl, path }) => {
    throw failures.chat['no-route'](`${method} ${baseUrl}${path}`);
  });
  router.use(failureResponder(log));
  return router;
}

const words: TaskWords = {
  format: 'openai-videos',
  created: (task) => toVideoObject(task),
  shown: (task, status) => ({ ...toVideoObject(task), ...(status !== undefined && { status }) }),
  notFound: (id) => new TextFailure(404, `Video with id '${id}' not found.`, { code: 'not_found' }),
  notRemovable: () =>
    new TextFailure(400, 'Only a video that is completed or failed can be deleted.', {
      param: 'video_id',
      code: 'invalid_value',
    }),
  removed: (response, { id }) => {
    response.json({ id, object: 'video.deleted', deleted: true });
  },
};

/** The fields take the place of the body. */
const readFields: RequestHandler = async (request, _response, next) => {
  request.body = await readCreateFields(request);
  next();
};

/** There is no cancellation: what the other formats cancel is refused like what is running. */
const refuseQueued =
  ({ store }: VendorCore): RequestHandler =>
  (request, _response, next) => {
    const { status } = taskOf({ store, words }, String(request.params['id']));
    if (status === 'queued') throw words.notRemovable(status);
    next();
  };

/** Newest first unless asked otherwise, from after an id on. */
function list({ store, activity }: VendorCore): RequestHandler {
  return ({ query }, response) => {
    activity.count('lists');
    const limit = Number(query['limit'] ?? 20);
    if (!Number.isInteger(limit) || limit < 1 || limit > 100) {
      throw new TextFailure(400, 'limit must be an integer from 1 to 100.', {
        param: 'limit',
        code: 'invalid_value',
      });
    }
    const oldestFirst = store.all().filter(({ format }) => format === words.format);
    const ordered = query['order'] === 'asc' ? oldestFirst : [...oldestFirst].reverse();
    const rest = ordered.slice(ordered.findIndex(({ id }) => id === query['after']) + 1);
    const page = rest.slice(0, limit);
    response.json({
      object: 'list',
      data: page.map(toVideoObject),
      first_id: page[0]?.id ?? null,
      last_id: page.at(-1)?.id ?? null,
      has_more: rest.length > page.length,
    });
  };
}

/** The bytes of the video; 404 until they are there, and when they are there no longer. */
function content(core: VendorCore): RequestHandler {
  return async (request, response) => {
    const { variant = 'video' } = request.query;
    if (variant !== 'video') {
      throw new TextFailure(400, 'The sandbox has the variant video only.', {
        param: 'variant',
        code: 'invalid_value',
      });
    }
    const { output } = taskOf({ store: core.store, words }, String(request.params['id']));
    const file = output === undefined ? undefined : core.links.find(output.file.token);
    if (file === undefined) {
      throw new TextFailure(404, 'Video is not ready yet, or has expired.', { code: 'not_found' });
    }
    await sendFile(file, 'video.mp4', { request, response, ...core });
  };
}
