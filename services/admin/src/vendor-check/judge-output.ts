import type { VendorOutput } from '@gateway/video-providers';
import type { CheckPlan } from './plan.ts';
import type { CheckStep } from './step.ts';

/** What the vendor says of a video against what it was asked for. */
export function judgeOutput(
  output: VendorOutput,
  { submission: { duration, resolution, ratio }, cost }: CheckPlan,
): CheckStep[] {
  const { seconds, completionTokens, totalTokens } = output;
  const tokens = totalTokens ?? completionTokens;
  const facts: readonly Fact[] = [
    {
      name: 'length',
      said: seconds,
      asked: duration,
      fits: Math.abs((seconds ?? 0) - duration) <= 1,
    },
    { name: 'resolution', said: output.resolution, asked: resolution },
    { name: 'ratio', said: output.ratio, asked: ratio },
  ];
  return [
    ...facts.map(factStep),
    {
      step: 'billing',
      ...(output.cost === undefined
        ? {
            status: 'skipped' as const,
            detail:
              tokens === undefined
                ? 'the vendor reports neither cost nor tokens'
                : `${tokens} tokens; the vendor reports no cost`,
          }
        : judgeCost(output.cost, cost)),
    },
  ];
}

interface Fact {
  readonly name: string;
  readonly said: string | number | undefined;
  readonly asked: string | number;
  /** Left out: it has to be the same. */
  readonly fits?: boolean;
}

function factStep({ name, said, asked, fits = said === asked }: Fact): CheckStep {
  const step = `reported ${name}`;
  if (said === undefined) {
    return { step, status: 'skipped', detail: 'the vendor does not report it' };
  }
  return fits
    ? { step, status: 'ok', detail: String(said) }
    : { step, status: 'differs', detail: `${said}, and ${asked} was asked for` };
}

/** A figure of the configuration that is a tenth off is out of date. */
const tolerance = 0.1;

function judgeCost(
  said: NonNullable<VendorOutput['cost']>,
  planned: CheckPlan['cost'],
): Pick<CheckStep, 'status' | 'detail'> {
  const written = `${said.amount} ${said.currency}`;
  if (planned === undefined) {
    return { status: 'ok', detail: `${written}; the configuration has no cost` };
  }
  const isAsPlanned =
    said.currency === planned.currency &&
    Math.abs(Number(said.amount) - Number(planned.amount)) <= Number(planned.amount) * tolerance;
  return isAsPlanned
    ? { status: 'ok', detail: written }
    : {
        status: 'differs',
        detail: `${written}, and by the configuration it is ${planned.amount} ${planned.currency}`,
      };
}
