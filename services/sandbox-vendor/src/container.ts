import { availableParallelism } from 'node:os';
import {
  createHealth,
  createLogger,
  httpServerPart,
  type Log,
  type Part,
  type Service,
} from '@gateway/runtime';
import { createCallbackSender } from './ark/callbacks.ts';
import { createTask, tooManyCreates } from './ark/create-task.ts';
import { createFileJournal, noJournal } from './ark/journal.ts';
import { createLifecycle } from './ark/lifecycle.ts';
import {
  createRateLimiter,
  documentedLimits,
  generousLimits,
  type Limits,
  type RateLimiter,
} from './ark/limits.ts';
import { arkRoutes } from './ark/routes.ts';
import { createRunningSlots } from './ark/running-slots.ts';
import { isTerminal } from './ark/task.ts';
import { createTaskStore } from './ark/task-store.ts';
import type { Settings } from './config.ts';
import { openaiVideosRoutes } from './openai-videos/routes.ts';
import { createActivity } from './control/activity.ts';
import { createFaults } from './control/faults.ts';
import { controlRoutes } from './control/routes.ts';
import { createLinks } from './files/links.ts';
import { fileRoutes } from './files/routes.ts';
import { createApp } from './http/app.ts';
import { createTask as createMiniMaxTask } from './minimax/create-task.ts';
import { miniMaxRoutes } from './minimax/routes.ts';
import { createRenderCache } from './render/render-cache.ts';
import { createInlineRenderer, type Renderer } from './render/renderer.ts';
import { createWorkerPool } from './render/worker-pool.ts';
import { createTextLane } from './text/lane.ts';

export interface SandboxVendor extends Service {
  /** Where it listens, once started. */
  url(): string;
}

/** Parts that a test puts in place of the usual ones. */
export interface Replacements {
  readonly renderer?: Renderer;
  readonly log?: Log;
}

const now = (): number => Date.now();
const elapsed = (): number => performance.now();

/** Builds the vendor; nothing runs before its parts are started. */
export function createSandboxVendor(
  settings: Settings,
  replacements: Replacements = {},
): SandboxVendor {
  const log =
    replacements.log ??
    createLogger({
      service: 'sandbox-vendor',
      level: settings.LOG_LEVEL,
      format: settings.LOG_FORMAT,
    });
  const limits = limitsOf(settings);
  const renderer = replacements.renderer ?? rendererOf(settings);
  const videos = createRenderCache({
    renderer,
    maxBytes: settings.SANDBOX_CACHE_BYTES,
    now: elapsed,
  });
  const links = createLinks({
    ttlSeconds: settings.SANDBOX_LINK_TTL_SECONDS,
    maxLinks: settings.SANDBOX_MAX_TASKS,
    baseUrl: () => publicUrl(),
    now,
  });
  const callbacks = createCallbackSender({
    timeoutMs: settings.SANDBOX_CALLBACK_TIMEOUT_MS,
    resendAfterMs: settings.SANDBOX_CALLBACK_RESEND_MS,
    log,
  });
  const store = createTaskStore({
    journal:
      settings.SANDBOX_DATA_DIR === undefined
        ? noJournal
        : createFileJournal(settings.SANDBOX_DATA_DIR),
    maxTasks: settings.SANDBOX_MAX_TASKS,
    now,
  });
  const lifecycle = createLifecycle({
    store,
    links,
    callbacks,
    videos,
    log,
    now,
    slots: createRunningSlots(limits.maxRunning),
    timing: { queueMs: settings.SANDBOX_QUEUE_MS, runningMs: settings.SANDBOX_RENDER_MS },
    quality: settings.SANDBOX_RENDER_QUALITY,
  });
  const shared = { activity: createActivity(), faults: createFaults(), store, lifecycle };
  const text = createTextLane({
    ...shared,
    log,
    now,
    apiKey: settings.SANDBOX_API_KEY,
    tokensPerSecond: settings.SANDBOX_TOKENS_PER_SECOND,
  });
  const create = createTask({
    store,
    rules: {
      minExpiresAfterSeconds: settings.SANDBOX_STRICT_LIMITS ? 3_600 : 1,
      random: Math.random,
    },
    admit: createAdmission(limits.createsPerMinute),
    now,
  });
  const createForMiniMax = createMiniMaxTask({
    store,
    admit: createAdmission(limits.createsPerMinute),
    now,
    random: Math.random,
  });
  const perSecond = (limit: number): RateLimiter =>
    createRateLimiter({ limit, windowMs: 1_000, now: elapsed });
  const limiters = {
    get: perSecond(limits.getsPerSecond),
    list: perSecond(limits.listsPerSecond),
    delete: perSecond(limits.deletesPerSecond),
  };
  const { SANDBOX_CONTROL: access } = settings;
  const health = createHealth({ renderer: () => renderer.check() });
  const video = {
    ...shared,
    apiKey: settings.SANDBOX_API_KEY,
    maxBodyBytes: settings.SANDBOX_MAX_BODY_BYTES,
    limiters,
  };
  const app = createApp({
    health,
    log,
    routers: {
      '/api/v3/contents/generations/tasks': arkRoutes({ ...video, createTask: create }),
      '/v2': miniMaxRoutes({ ...video, createTask: createForMiniMax }),
      '/files': fileRoutes({ ...shared, links, videos }),
      '/v1/videos': openaiVideosRoutes({
        ...shared,
        links,
        videos,
        log,
        now,
        apiKey: settings.SANDBOX_API_KEY,
        maxBodyBytes: settings.SANDBOX_MAX_BODY_BYTES,
      }),
      '/v1': text.router,
      ...(access !== 'off' && {
        '/control': controlRoutes({ ...shared, access, videos, callbacks, text: text.journal }),
      }),
    },
  });
  const server = httpServerPart({
    host: settings.HOST,
    port: settings.PORT,
    handler: (request, response) => {
      app(request, response);
    },
    health,
    log,
  });
  const publicUrl = (): string => settings.SANDBOX_PUBLIC_URL?.replace(/\/+$/, '') ?? server.url();
  const tasks: Part = {
    name: 'tasks',
    start() {
      for (const task of store.all()) {
        if (task.output !== undefined) links.restore(task.output.file);
        if (!isTerminal(task.status)) lifecycle.follow(task);
      }
      return Promise.resolve();
    },
    stop() {
      lifecycle.abandon();
      callbacks.abandon();
      return Promise.resolve();
    },
  };
  return {
    log,
    url: () => server.url(),
    parts: [rendererPart(renderer, log), server, tasks, text.part],
  };
}

/** A machine that cannot render still gets a vendor that listens and says so. */
const rendererPart = (renderer: Renderer, log: Log): Part => ({
  name: 'renderer',
  start: () =>
    renderer.check().catch((error: unknown) => {
      log.error('videos cannot be rendered on this machine, so tasks will fail', { error });
    }),
  stop: () => renderer.stop(),
});

/**
 * A worker thread cannot load TypeScript on Node 20: from the sources, as tests read them,
 * rendering stays in the main thread.
 */
function rendererOf({ SANDBOX_RENDER_THREADS: asked }: Settings): Renderer {
  const threads = asked ?? Math.max(1, Math.min(4, Math.floor(availableParallelism() / 2)));
  if (threads === 0 || import.meta.url.endsWith('.ts')) return createInlineRenderer();
  return createWorkerPool({ threads, entry: new URL('./render/worker.js', import.meta.url) });
}

function limitsOf(settings: Settings): Limits {
  const absent = settings.SANDBOX_STRICT_LIMITS ? documentedLimits : generousLimits;
  return {
    getsPerSecond: settings.SANDBOX_GET_QPS ?? absent.getsPerSecond,
    listsPerSecond: settings.SANDBOX_LIST_QPS ?? absent.listsPerSecond,
    deletesPerSecond: settings.SANDBOX_DELETE_QPS ?? absent.deletesPerSecond,
    createsPerMinute: settings.SANDBOX_CREATE_RPM ?? absent.createsPerMinute,
    maxRunning: settings.SANDBOX_MAX_RUNNING ?? absent.maxRunning,
  };
}

/** Creations are counted for each model on its own. */
function createAdmission(createsPerMinute: number): (model: string) => void {
  const limiters = new Map<string, RateLimiter>();
  return (model) => {
    const limiter =
      limiters.get(model) ??
      createRateLimiter({ limit: createsPerMinute, windowMs: 60_000, now: elapsed });
    limiters.set(model, limiter);
    if (!limiter.take()) throw tooManyCreates();
  };
}
