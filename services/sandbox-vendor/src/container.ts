import { availableParallelism } from 'node:os';
import {
  createHealth,
  createLogger,
  httpServerPart,
  type Log,
  type Part,
  type Service,
} from '@gateway/runtime';
import { errorResponder } from './ark/errors.ts';
import type { Settings } from './config.ts';
import { createActivity } from './control/activity.ts';
import { createFaults } from './control/faults.ts';
import { controlRoutes } from './control/routes.ts';
import { createLinks } from './files/links.ts';
import { fileRoutes } from './files/routes.ts';
import { createApp } from './http/app.ts';
import * as registry from './registry.ts';
import { createRenderCache, type RenderCache } from './render/render-cache.ts';
import { createInlineRenderer, type Renderer } from './render/renderer.ts';
import { createWorkerPool } from './render/worker-pool.ts';
import { createAdmission } from './tasks/admission.ts';
import { createCallbackSender, type CallbackSender } from './tasks/callbacks.ts';
import { createFileJournal, noJournal } from './tasks/journal.ts';
import { createLifecycle } from './tasks/lifecycle.ts';
import { createLimiters, documentedLimits, generousLimits, type Limits } from './tasks/limits.ts';
import { createRunningSlots } from './tasks/running-slots.ts';
import { isTerminal, type Task } from './tasks/task.ts';
import { createTaskStore } from './tasks/task-store.ts';
import type { SimulatedVendor, VendorCore } from './tasks/vendor.ts';
import { createTextLane } from './text/lane.ts';

const { ark } = registry;
const vendors: readonly SimulatedVendor[] = Object.values(registry);

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

/** Builds the sandbox; nothing runs before its parts are started. */
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
  const renderer = replacements.renderer ?? rendererOf(settings);
  const core = createCore(settings, { log, renderer, baseUrl: () => publicUrl() });
  const text = createTextLane({ ...core, tokensPerSecond: settings.SANDBOX_TOKENS_PER_SECOND });
  const health = createHealth({ renderer: () => renderer.check() });
  const { SANDBOX_CONTROL: access } = settings;
  const app = createApp({
    health,
    log,
    vendors,
    errorResponder: errorResponder(log),
    routers: {
      ...Object.fromEntries(vendors.map(({ path, routes }) => [path, routes(core)])),
      '/files': fileRoutes(core),
      '/v1': text.router,
      ...(access !== 'off' && {
        '/control': controlRoutes({ ...core, access, show: ark.show, text: text.journal }),
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
  return {
    log,
    exceptionsBeforeRestart: 0,
    url: () => server.url(),
    parts: [rendererPart(renderer, log), server, tasksPart(core), text.part],
  };
}

interface Core extends VendorCore {
  readonly videos: RenderCache;
  readonly callbacks: CallbackSender;
}

interface CoreOptions {
  readonly log: Log;
  readonly renderer: Renderer;
  readonly baseUrl: () => string;
}

/** What all simulated vendors share. */
function createCore(settings: Settings, { log, renderer, baseUrl }: CoreOptions): Core {
  const { SANDBOX_DATA_DIR: folder, SANDBOX_MAX_TASKS: maxTasks } = settings;
  const limits = limitsOf(settings);
  const videos = createRenderCache({
    renderer,
    maxBytes: settings.SANDBOX_CACHE_BYTES,
    now: elapsed,
  });
  const links = createLinks({
    ttlSeconds: settings.SANDBOX_LINK_TTL_SECONDS,
    maxLinks: maxTasks,
    baseUrl,
    now,
  });
  const callbacks = createCallbackSender({
    timeoutMs: settings.SANDBOX_CALLBACK_TIMEOUT_MS,
    resendAfterMs: settings.SANDBOX_CALLBACK_RESEND_MS,
    show: showTask,
    log,
  });
  const journal = folder === undefined ? noJournal : createFileJournal(folder);
  const store = createTaskStore({ journal, maxTasks, now });
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
  return {
    apiKey: settings.SANDBOX_API_KEY,
    maxBodyBytes: settings.SANDBOX_MAX_BODY_BYTES,
    isStrict: settings.SANDBOX_STRICT_LIMITS,
    store,
    lifecycle,
    activity: createActivity(),
    faults: createFaults(),
    limiters: createLimiters(limits, elapsed),
    admission: createAdmission(limits.createsPerMinute, elapsed),
    links,
    videos,
    callbacks,
    log,
    now,
    random: Math.random,
  };
}

/** The task in the words of its own vendor. */
const showTask = (task: Task): object =>
  (vendors.find(({ format }) => format === task.format) ?? ark).show(task);

/** Takes up the tasks of an earlier run, and lets go of all at the end. */
const tasksPart = ({ store, links, lifecycle, callbacks }: Core): Part => ({
  name: 'tasks',
  start() {
    for (const task of store.all()) {
      if (task.output !== undefined) links.restore(task.output.file);
      if (!isTerminal(task.status)) lifecycle.follow(task);
    }
    return Promise.resolve();
  },
  stop() {
    lifecycle.stop();
    callbacks.abandon();
    return Promise.resolve();
  },
});

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
