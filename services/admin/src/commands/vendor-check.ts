import { UsageError, type Command, type CommandPorts } from '../command.ts';
import { checkVendor, type CheckReport } from '../vendor-check/check.ts';
import { planCheck, planLines, type CheckPlan } from '../vendor-check/plan.ts';
import type { CheckStep } from '../vendor-check/step.ts';
import { newCorrelation, type CheckTarget } from '../vendor-check/target.ts';

const usualMinutes = '30';
const mostMinutes = 1_440;
const minuteMs = 60_000;

/** How an operator finds out that a vendor has changed: one real task, step by step. */
export const vendorCheck: Command = {
  help: 'Make one real video at a vendor, the cheapest, and compare every step; costs money',
  example: 'vendor check ark --spend',
  argument: { name: 'provider', help: 'name of a provider of videos in the configuration' },
  options: {
    spend: {
      required: false,
      flag: true,
      help: 'do it; without it the command only says what it would ask for',
    },
    model: {
      required: false,
      help: 'a model of this provider (default: the one that costs least)',
    },
    minutes: {
      required: false,
      help: `how long to wait for the video (default ${usualMinutes})`,
    },
  },
  async run(values, ports) {
    const minutes = minutesOf(values['minutes']);
    const name = values['provider'] ?? '';
    const target = ports.checkTarget(name);
    if (target === undefined) {
      throw new UsageError(`the configuration has no provider of videos named ${name}`);
    }
    const plan = cheapest(target, { name, model: values['model'] });
    const planned = planLines(name, plan);
    if (values['spend'] !== 'true') {
      throw new UsageError([...planned, 'nothing was asked for: add --spend to do it'].join('\n'));
    }
    for (const line of planned) ports.say(line);
    const report = await checked({ target, plan, minutes }, ports);
    const differing = report.steps.filter(({ status }) => status === 'differs').length;
    return {
      ok: differing === 0 && report.left === undefined,
      lines: [
        ...tableOf(report.steps),
        '',
        ...leftLines(name, report),
        differing === 0
          ? `${name} does what its adapter expects, as far as this went`
          : `${differing} of ${report.steps.length} steps differ from what the adapter of ${name} expects`,
      ],
      data: { provider: name, model: plan.model, cost: plan.cost ?? null, ...report },
    };
  },
};

function minutesOf(text = usualMinutes): number {
  const minutes = Number(text);
  if (!/^\d{1,4}$/.test(text) || minutes < 1 || minutes > mostMinutes) {
    throw new UsageError(
      `--minutes must be a whole number from 1 to ${mostMinutes}; got ${JSON.stringify(text)}`,
    );
  }
  return minutes;
}

function cheapest(
  { models }: CheckTarget,
  { name, model: wanted }: { readonly name: string; readonly model: string | undefined },
): CheckPlan {
  const correlation = newCorrelation();
  const plans = models
    .filter(({ model }) => wanted === undefined || model.name === wanted)
    .map((model) => planCheck(model, correlation));
  const costOf = ({ cost }: CheckPlan): number => Number(cost?.amount ?? Infinity);
  const [first] = plans.toSorted((one, other) => costOf(one) - costOf(other) || 0);
  if (first !== undefined) return first;
  throw new UsageError(
    wanted === undefined
      ? `no model of the configuration is made by ${name}`
      : `${name} has no model named ${wanted}`,
  );
}

async function checked(
  {
    target,
    plan,
    minutes,
  }: { readonly target: CheckTarget; readonly plan: CheckPlan; readonly minutes: number },
  { untilInterrupted, showProgress, pause, now }: CommandPorts,
): Promise<CheckReport> {
  const report = await untilInterrupted((interrupted) =>
    checkVendor(
      plan,
      { ...target, showProgress, pause, now: () => now().getTime(), random: Math.random },
      AbortSignal.any([interrupted, AbortSignal.timeout(minutes * minuteMs)]),
    ),
  );
  showProgress('');
  return report;
}

const marks: Readonly<Record<CheckStep['status'], string>> = {
  ok: 'ok',
  differs: 'DIFFERS',
  skipped: 'skipped',
};

function tableOf(steps: readonly CheckStep[]): string[] {
  const width = Math.max(0, ...steps.map(({ step }) => step.length));
  return steps.map(({ step, status, detail }) =>
    `${marks[status].padEnd(8)} ${step.padEnd(width)}  ${detail}`.trimEnd(),
  );
}

function leftLines(name: string, { left }: CheckReport): string[] {
  if (left === undefined) return [];
  const { vendorTaskId, correlation } = left;
  return [
    vendorTaskId === undefined
      ? `LEFT at ${name}: it is not known whether it made a task; look for one that was sent with ${correlation}`
      : `LEFT at ${name}: task ${vendorTaskId}, sent with ${correlation}; it goes on there and may be charged`,
  ];
}
