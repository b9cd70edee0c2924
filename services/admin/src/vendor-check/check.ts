import { describeError } from '@gateway/domain';
import type { VendorOutput } from '@gateway/video-providers';
import { judgeFile, judgeFrame } from './judge-file.ts';
import { judgeOutput } from './judge-output.ts';
import type { CheckPlan } from './plan.ts';
import type { CheckPorts, CheckStep, FetchedFile, Running, Verdict } from './step.ts';
import { watchTask } from './watch.ts';

/** Work at the vendor that goes on, or may, when the check ends before it. */
export interface LeftWork {
  /** Undefined where it is not known whether there is any. */
  readonly vendorTaskId: string | undefined;
  readonly correlation: string;
}

export interface CheckReport {
  readonly steps: readonly CheckStep[];
  readonly left: LeftWork | undefined;
}

/** There is nothing to go on from. */
class Stopped extends Error {
  readonly left: LeftWork | undefined;
  constructor(left?: LeftWork) {
    super('the check has ended');
    this.left = left;
  }
}

/**
 * One real task from creation to file, as a worker would have it; what the vendor does in another way
 * than its adapter expects is a step that differs. Aborting the signal ends it, and says what is left.
 */
export async function checkVendor(
  plan: CheckPlan,
  ports: CheckPorts,
  signal: AbortSignal,
): Promise<CheckReport> {
  const steps: CheckStep[] = [];
  const run: Running = {
    ...ports,
    plan,
    signal,
    startedAt: ports.now(),
    note: (step, status, detail) => void steps.push({ step, status, detail }),
  };
  try {
    await checkServing(run);
    const vendorTaskId = await checkCreation(run);
    await checkFinding(run, vendorTaskId);
    const seen = await watchTask(run, vendorTaskId);
    if (seen.kind === 'left') throw leftBehind(run, vendorTaskId);
    for (const [step, status, detail] of seen.notes) run.note(step, status, detail);
    if (seen.kind === 'succeeded') await checkResult(run, seen.output);
    return { steps, left: undefined };
  } catch (error) {
    if (error instanceof Stopped) return { steps, left: error.left };
    throw error;
  }
}

async function checkServing({ provider, note, showProgress, signal }: Running): Promise<void> {
  const step = 'credential';
  if (provider.askServing === undefined) {
    note(step, 'skipped', 'every question of this format costs something');
    return;
  }
  showProgress('asks whether the account is served');
  const outcome = await provider.askServing(signal);
  if (outcome.kind === 'serving') {
    note(step, 'ok', 'the account is served');
    return;
  }
  note(step, 'differs', outcome.detail);
  throw new Stopped();
}

async function checkCreation(run: Running): Promise<string> {
  const { provider, plan, note, showProgress, signal } = run;
  const step = 'creation';
  if (signal.aborted) throw new Stopped();
  showProgress('creates the task');
  const outcome = await provider.submit(plan.submission, signal);
  if (outcome.drift !== undefined) {
    note(
      step,
      'differs',
      `the response has an unknown ${outcome.drift.kind}: ${outcome.drift.example}`,
    );
  }
  if (outcome.kind === 'accepted') {
    note(step, 'ok', `accepted as ${outcome.vendorTaskId}`);
    return outcome.vendorTaskId;
  }
  note(step, 'differs', `${outcome.kind}: ${outcome.detail}`);
  throw new Stopped(outcome.kind === 'unknown' ? await lost(run) : undefined);
}

const findMs = 30_000;

/** Whatever became of the creation: also after Ctrl-C, so with a time of its own. */
async function lost({ provider, plan, startedAt }: Running): Promise<LeftWork> {
  const { correlation } = plan.submission;
  const found = await provider.find?.(
    { correlation, since: new Date(startedAt) },
    AbortSignal.timeout(findMs),
  );
  return { correlation, vendorTaskId: found?.kind === 'found' ? found.vendorTaskId : undefined };
}

const leftBehind = ({ plan }: Running, vendorTaskId: string): Stopped =>
  new Stopped({ vendorTaskId, correlation: plan.submission.correlation });

/** Lists lag behind. */
const maxFinds = 3;

async function checkFinding(run: Running, vendorTaskId: string): Promise<void> {
  const { provider, plan, note, showProgress, pause, pace, startedAt, signal } = run;
  const step = 'look-up';
  if (provider.find === undefined) {
    note(step, 'skipped', 'a lost creation cannot be looked up in this format');
    return;
  }
  const { correlation } = plan.submission;
  let seen = '';
  for (let attempt = 0; attempt < maxFinds && !signal.aborted; attempt++) {
    if (attempt > 0) await pause(pace.maxSeconds * 1_000, signal);
    showProgress('looks the task up by our name for it');
    const found = await provider.find({ correlation, since: new Date(startedAt) }, signal);
    if (found.kind === 'found' && found.vendorTaskId === vendorTaskId) {
      note(step, 'ok', 'found by our name for it');
      return;
    }
    seen = found.kind === 'error' ? found.detail : found.kind;
  }
  if (signal.aborted) throw leftBehind(run, vendorTaskId);
  note(step, 'differs', `not found by our name for it: ${seen}`);
}

async function checkResult(run: Running, output: VendorOutput): Promise<void> {
  const { plan, note, fetchFile, showProgress, signal } = run;
  for (const { step, status, detail } of judgeOutput(output, plan)) note(step, status, detail);
  showProgress('fetches the video');
  note(
    'file',
    ...(await judged(() => fetchFile(output.videoUrl, signal), judgeFile(output, plan))),
  );
  if (!plan.submission.returnLastFrame) {
    note('last frame', 'skipped', 'the model has none of its vendor');
    return;
  }
  const { lastFrameUrl } = output;
  if (lastFrameUrl === undefined) {
    note('last frame', 'differs', 'it was asked for, and the vendor gave none');
    return;
  }
  note('last frame', ...(await judged(() => fetchFile(lastFrameUrl, signal), judgeFrame)));
}

async function judged(
  fetched: () => Promise<FetchedFile>,
  judge: (file: FetchedFile) => Promise<Verdict>,
): Promise<Verdict> {
  try {
    return await judge(await fetched());
  } catch (error) {
    return ['differs', `cannot be had: ${describeError(error)}`];
  }
}
