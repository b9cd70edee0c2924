import { checkCallbacks, type CallbackFindings } from './checks/callbacks.ts';
import { readResources, readTasks, readVendorTasks, type Evidence } from './checks/evidence.ts';
import { checkMedia } from './checks/media.ts';
import { checkMoney, type MoneyFindings } from './checks/money.ts';
import { checkTasks } from './checks/tasks.ts';
import { checkText, type TextFindings } from './checks/text.ts';
import { checkVendor, type VendorFindings } from './checks/vendor.ts';
import { liveThrough, checkTask, newExperience } from './customer.ts';
import { createDisturber, makeCalm } from './disturb.ts';
import {
  planChaos,
  poorCustomer,
  richCustomers,
  type ChaosPlan,
  type Disturbance,
  type PlanOptions,
} from './plan.ts';
import { createDice } from './random.ts';
import { openChaosReceiver, type ChaosReceiver } from './receiver.ts';
import { untilSettled } from './settled.ts';
import { startChaosStack, type ChaosStack } from './chaos-stack.ts';
import type { StackCustomer } from './stack.ts';
import { askText, type TextExperience } from './text.ts';

export interface ChaosOptions extends PlanOptions {
  /** How long everything may take to come to its end once nothing is disturbed any more. */
  readonly calmWithinMs: number;
  readonly print: (line: string) => void;
}

export interface ChaosResult {
  readonly options: ChaosOptions;
  readonly evidence: Evidence;
  /** What was done, in its order. */
  readonly performed: readonly Disturbance[];
  readonly money: MoneyFindings;
  readonly vendor: VendorFindings;
  readonly callbacks: CallbackFindings;
  readonly text: TextFindings;
  /** Everything that is not as it has to be, in sentences; empty when all is well. */
  readonly violations: readonly string[];
  readonly seconds: { readonly disturbed: number; readonly calm: number; readonly whole: number };
  /** Where the logs were left; undefined when there was no need to. */
  readonly logFolder: string | undefined;
}

/**
 * Delays that are hours in production are seconds here; what protects (locks, fences, the order of
 * writes) is as it is.
 */
const environment = {
  'sandbox-vendor': {
    SANDBOX_QUEUE_MS: '200',
    SANDBOX_RENDER_MS: '400',
    SANDBOX_RENDER_QUALITY: 'fast',
    SANDBOX_TOKENS_PER_SECOND: '500',
  },
  // What an idle account keeps at hand for text is given back after thirty times that, within the calm.
  api: { TEXT_LEASE_IDLE_SECONDS: '1' },
  billing: { SWEEP_MS: '1000', ORPHAN_GRACE_SECONDS: '10', USAGE_LEASE_SECONDS: '15' },
  'video-worker': {
    SWEEP_MS: '1000',
    VENDOR_TIMEOUT_MS: '3000',
    SUBMISSION_UNKNOWN_AFTER_MS: '8000',
    LATE_WATCH_EVERY_MS: '500',
    LATE_WATCH_SECONDS: '60',
  },
  'callback-dispatcher': {
    CALLBACK_TIMEOUT_MS: '1500',
    CALLBACK_RETRY_DELAYS_MS: '300,600,1200,2400,4800',
    CALLBACK_SWEEP_MS: '1000',
  },
};
const doubled = ['video-worker', 'callback-dispatcher'] as const;

export const chaosEnvironment = {
  ...environment,
  ...Object.fromEntries(doubled.map((name) => [`${name}-2`, environment[name]])),
} satisfies Record<string, Record<string, string>>;

/**
 * The whole run: bring everything up, disturb it under load, let it come to rest, and compare what
 * everybody knows.
 */
export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const startedAt = performance.now();
  const { print } = options;
  print(
    `seed ${options.seed}: ${options.tasks} tasks over ${Math.round(options.forMs / 1_000)} s; starting every service`,
  );
  const stack = await startChaosStack({ doubled, env: chaosEnvironment, log: () => undefined });
  const receiver = await openChaosReceiver(createDice(options.seed + 1));
  let keepLogs = true;
  try {
    const result = await runOn(stack, receiver, { ...options, startedAt });
    keepLogs = result.violations.length > 0;
    return result;
  } finally {
    await receiver.close();
    await stack.stop({ keepLogs });
  }
}

async function runOn(
  stack: ChaosStack,
  receiver: ChaosReceiver,
  options: ChaosOptions & { startedAt: number },
): Promise<ChaosResult> {
  const { print, startedAt, calmWithinMs } = options;
  const plan = planChaos(options);
  const customers = await Promise.all(
    Array.from({ length: richCustomers + 1 }, (_unused, index) =>
      stack.aCustomer(index === poorCustomer ? poorQuota(plan) : richQuota),
    ),
  );
  const textCustomer = await stack.aCustomer(richQuota);
  const disturbedFrom = performance.now();
  const { experiences, texts, performed, shown } = await disturb(plan, {
    stack,
    receiver,
    customers,
    textCustomer,
    options,
  });
  const calmFrom = performance.now();
  print('nothing is disturbed any more; waiting until everything has come to its end');
  await makeCalm(stack, receiver);
  const unsettled = await untilSettled(stack.database, calmWithinMs);
  const calmUntil = performance.now();
  print('comparing what everybody knows');
  const tasks = await readTasks(stack.database);
  const evidence: Evidence = {
    stack,
    customers,
    textCustomer,
    experiences,
    texts,
    arrivals: receiver.arrivals,
    tasks,
    vendorTasks: await readVendorTasks(stack.suite.sandboxUrl),
    resources: await readResources(tasks, { baseUrl: stack.suite.baseUrl, customers }),
  };
  const money = await checkMoney(evidence);
  const vendor = checkVendor(evidence);
  const callbacks = checkCallbacks(evidence);
  const text = await checkText(evidence);
  const violations = [
    ...unsettled,
    ...shown,
    ...checkTasks(evidence),
    ...money.problems,
    ...vendor.problems,
    ...callbacks.problems,
    ...text.problems,
    ...(await checkMedia(evidence)),
  ];
  const seconds = (from: number, to: number): number => Math.round((to - from) / 1_000);
  return {
    options,
    evidence,
    performed,
    money,
    vendor,
    callbacks,
    text,
    violations,
    seconds: {
      disturbed: seconds(disturbedFrom, calmFrom),
      calm: seconds(calmFrom, calmUntil),
      whole: seconds(startedAt, performance.now()),
    },
    logFolder: violations.length > 0 ? stack.logFolder : undefined,
  };
}

const richQuota = 100_000_000;

/** About half of what this customer would like to have reserved. */
function poorQuota({ videos }: ChaosPlan): number {
  const wanted = videos
    .filter(({ customer }) => customer === poorCustomer)
    .reduce((sum, { kind }) => sum + kind.duration * 60, 0);
  return Math.max(300, Math.round(wanted / 2));
}

interface Disturbed {
  readonly experiences: Evidence['experiences'];
  readonly texts: readonly TextExperience[];
  readonly performed: readonly Disturbance[];
  /** What customers were shown and should not have been. */
  readonly shown: readonly string[];
}

interface Stage {
  readonly stack: ChaosStack;
  readonly receiver: ChaosReceiver;
  readonly customers: readonly StackCustomer[];
  readonly textCustomer: StackCustomer;
  readonly options: ChaosOptions;
}

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
const reportEveryMs = 10_000;
const checkEveryMs = 100;
/** After the last order, what a customer still insists on. */
const insistMs = 45_000;

async function disturb(
  plan: ChaosPlan,
  { stack, receiver, customers, textCustomer, options }: Stage,
): Promise<Disturbed> {
  const { print, forMs, seed } = options;
  const performed: Disturbance[] = [];
  const shown: string[] = [];
  const perform = createDisturber(stack, receiver);
  const startedAt = Date.now();
  const { baseUrl } = stack.suite;
  const experiences = plan.videos.map(newExperience);
  const customerOf = (index: number): StackCustomer => customers[index] ?? textCustomer;
  const stories = experiences.map(async (experience) => {
    await pause(experience.order.atMs);
    await liveThrough(experience, {
      baseUrl,
      receiverUrl: receiver.url,
      customer: customerOf(experience.order.customer),
      giveUpAt: startedAt + forMs + insistMs,
    });
  });
  const textStories = plan.texts.map(async (order) => {
    await pause(order.atMs);
    return askText(order, { baseUrl, customer: textCustomer });
  });
  const disturbances = plan.disturbances.map(async (disturbance) => {
    await pause(disturbance.atMs);
    performed.push(disturbance);
    await perform(disturbance);
  });
  const dice = createDice(seed + 2);
  const checking = setInterval(() => {
    const known = experiences.filter(({ taskIds }) => taskIds.size === 1);
    if (known.length === 0) return;
    const experience = dice.pick(known);
    const [taskId = ''] = experience.taskIds;
    void checkTask(experience, taskId, {
      baseUrl,
      customer: customerOf(experience.order.customer),
    }).then((problem) => {
      if (problem !== undefined) shown.push(problem);
    });
  }, checkEveryMs);
  const reporting = setInterval(() => {
    const created = experiences.filter(({ taskIds }) => taskIds.size > 0).length;
    print(
      `${Math.round((Date.now() - startedAt) / 1_000)} s: ${experiences.filter(({ responses }) => responses.length > 0).length} of ${experiences.length} asked for, ${created} created, ${performed.length} of ${plan.disturbances.length} disturbances, ${receiver.arrivals.length} arrivals`,
    );
  }, reportEveryMs);
  try {
    const texts = await Promise.all(textStories);
    await Promise.all([...stories, ...disturbances]);
    return { experiences, texts, performed, shown };
  } finally {
    clearInterval(checking);
    clearInterval(reporting);
  }
}
