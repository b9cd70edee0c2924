import { createHash } from 'node:crypto';
import type { ProviderSettings, Task } from '@gateway/contracts';
import type { VendorBreakers, VendorPermit } from '@gateway/limits';
import type { ServingOutcome, VideoProvider } from '@gateway/video-providers';
import { evidenceOf } from '../use-cases/judge-submission.ts';
import type { Hindrance, SubmissionGate, SubmissionPermit } from '../use-cases/ports.ts';

/**
 * One breaker for each address and key of a provider: with another key the vendor is a fresh one.
 * Begins with the provider's name, which has no spaces.
 */
export const breakerNameOf = ({
  name,
  baseUrl,
  apiKey,
}: Pick<ProviderSettings, 'name' | 'baseUrl' | 'apiKey'>): string =>
  `${name} ${baseUrl} ${createHash('sha256').update(apiKey).digest('hex').slice(0, 8)}`;

/** The provider of a breaker by its name. */
export const providerOfBreaker = (name: string): string => name.slice(0, name.indexOf(' '));

export interface BreakerGateOptions {
  readonly vendors: VendorBreakers;
  readonly vendorOf: (task: Task) => {
    readonly breaker: string;
    readonly provider: Pick<VideoProvider, 'askServing'>;
  };
  /** The breaker that decides who in this provider's queue gets a slot; undefined: nobody does. */
  readonly breakerBefore: (provider: string) => string | undefined;
  readonly onRefused: (provider: string) => void;
  readonly random: () => number;
}

/** A task that others go before asks again after about this. */
const waitMs = 250;
/** A task with a slot at an address that is not configured any more cannot go back into the queue. */
const openWaitMs = 5_000;
const questionTimeoutMs = 10_000;

/** The circuit breakers before the vendors, as tasks meet them. */
export function createBreakerGate(options: BreakerGateOptions): SubmissionGate {
  const { vendors, vendorOf, breakerBefore, onRefused, random } = options;
  const refuse = ({ vendor }: Task, breaker: string, verdict: 'open' | 'wait'): Hindrance => {
    if (verdict === 'wait') return { kind: 'wait', afterMs: Math.round(waitMs * (1 + random())) };
    onRefused(vendor.provider);
    return breakerBefore(vendor.provider) === breaker
      ? { kind: 'back_in_queue' }
      : { kind: 'wait', afterMs: Math.round(openWaitMs * (1 + random())), isOpen: true };
  };
  return {
    hindrance(task) {
      const { breaker } = vendorOf(task);
      const verdict = vendors.judge(breaker, task.accountId);
      return verdict === 'go' ? undefined : refuse(task, breaker, verdict);
    },
    async enter(task, signal) {
      const { breaker, provider } = vendorOf(task);
      const permit = vendors.enter(breaker, task.accountId);
      if (permit.kind !== 'granted') return refuse(task, breaker, permit.kind);
      if (permit.isProbe && !(await serves(provider, permit, signal))) {
        return refuse(task, breaker, 'open');
      }
      return submissionPermit(permit, task);
    },
    async inquire(task, signal) {
      const { breaker, provider } = vendorOf(task);
      if (vendors.judge(breaker, task.accountId) === 'open') return;
      // A refusal says that somebody is there: the question may need a right that the key lacks.
      const kind = await ask(provider, signal);
      if (kind === 'unanswered' && !signal.aborted) vendors.unanswered(breaker);
    },
  };
}

type Granted = Extract<VendorPermit, { kind: 'granted' }>;

/** Whether the vendor serves, as far as a question that costs nothing tells. */
async function ask(
  { askServing }: Pick<VideoProvider, 'askServing'>,
  signal: AbortSignal,
): Promise<ServingOutcome['kind']> {
  if (askServing === undefined) return 'serving';
  const { kind } = await askServing(
    AbortSignal.any([signal, AbortSignal.timeout(questionTimeoutMs)]),
  );
  return kind;
}

/** A vendor that does not respond to a question that costs nothing gets no task. */
async function serves(
  provider: Pick<VideoProvider, 'askServing'>,
  permit: Granted,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    if ((await ask(provider, signal)) === 'serving') return true;
    if (!signal.aborted) permit.failed({ of: 'everybody' });
    permit.end();
    return false;
  } catch (error) {
    permit.end();
    throw error;
  }
}

const submissionPermit = (permit: Granted, { id }: Task): SubmissionPermit => ({
  kind: 'granted',
  report(outcome) {
    const evidence = evidenceOf(outcome);
    if (evidence === 'serves') permit.succeeded();
    else if (evidence === 'away') permit.failed({ of: 'everybody' });
    else permit.failed({ of: 'account', once: id });
  },
  end: permit.end,
});
