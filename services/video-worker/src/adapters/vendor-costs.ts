import type { Configuration, Task, TaskResult, VendorOutput, VideoModel } from '@gateway/contracts';
import { costPlaces, costSum, scaledCost, type CostRules, type PriceFacts } from '@gateway/domain';
import type { VendorCost } from '@gateway/store';

/** What is known of a vendor's work: what the vendor said of it, and what came of it with us. */
export interface VendorWork {
  readonly output?: Partial<VendorOutput> | null | undefined;
  readonly result?: Pick<TaskResult, 'seconds' | 'completionTokens'> | undefined;
}

/**
 * What a vendor asks for its work on a task, by the cost that the present configuration gives its
 * route; what the vendor itself said goes first. Without any word of the vendor it is the most that
 * the work can cost. Undefined where the model has no cost, or is served by another vendor now.
 */
export function vendorCostOf(
  { models }: Pick<Configuration, 'models'>,
  task: Task,
  work: VendorWork = {},
): VendorCost | undefined {
  const reported = work.output?.cost;
  const cost = costOfRoute(models.get(task.model), task);
  const found =
    reported === undefined
      ? cost && calculated(cost, task, work)
      : ({ ...reported, source: 'reported' } as const);
  return found !== undefined && fitsColumn(found) ? found : undefined;
}

const costOfRoute = (
  model: VideoModel | undefined,
  { vendor: { provider, upstreamModel } }: Task,
): CostRules | undefined =>
  model?.routes.find(
    (route) => route.provider === provider && route.upstreamModel === upstreamModel,
  )?.cost;

function calculated(cost: CostRules, task: Task, work: VendorWork): VendorCost | undefined {
  const said = tokensOf(work.output);
  const tokens = said ?? work.result?.completionTokens;
  const byTokens = cost.millionTokens !== undefined;
  // By tokens nothing can be said of work that nobody counted.
  if (byTokens && tokens === undefined) return undefined;
  const facts = factsOf(task, cost, work);
  return {
    amount: costSum(cost, tokens === undefined ? facts : { ...facts, tokens }),
    currency: cost.currency,
    source:
      (byTokens ? said : work.output?.chargedSeconds) === undefined ? 'calculated' : 'reported',
  };
}

const tokensOf = (output: VendorWork['output']): number | undefined =>
  output?.totalTokens ?? output?.completionTokens;

/** More than that is nonsense of a vendor's. */
const fitsColumn = ({ amount }: VendorCost): boolean =>
  scaledCost(amount) < 10n ** BigInt(2 * costPlaces);

function factsOf(task: Task, cost: CostRules, { output, result }: VendorWork): PriceFacts {
  const seconds = secondsOf({ output, result });
  const { resolution, generateAudio: audio, references } = task.request;
  const made = output?.resolution;
  const count = (wanted: string): number => references.filter(({ kind }) => kind === wanted).length;
  const counts = { image: count('image'), video: count('video'), audio: count('audio') };
  const charged = output?.chargedSeconds;
  return {
    resolution: made !== undefined && hasAmount(cost, made) ? made : resolution,
    seconds: seconds ?? task.price.reservedSeconds,
    audio,
    inputSeconds: charged === undefined ? ofInputs({ task, cost, counts }) : noInputs,
    references: counts,
    factors: task.price.terms?.facts.factors ?? [],
  };
}

const secondsOf = ({ output, result }: VendorWork): number | undefined =>
  output?.chargedSeconds ?? output?.seconds ?? (result && Math.round(result.seconds));

/** What the vendor charges by its own count includes the seconds of references. */
const noInputs = { video: 0, audio: 0 } as const;

const ofInputs = ({
  task,
  cost,
  counts,
}: {
  readonly task: Task;
  readonly cost: CostRules;
  readonly counts: PriceFacts['references'];
}): PriceFacts['inputSeconds'] => ({
  video: inputSeconds('video', { task, cost, count: counts.video }),
  audio: inputSeconds('audio', { task, cost, count: counts.audio }),
});

const hasAmount = ({ outputSecond }: CostRules, resolution: string): boolean =>
  typeof outputSecond === 'object' && Object.hasOwn(outputSecond, resolution);

/** As they were measured for the price, where that charges for them. */
function inputSeconds(
  kind: 'video' | 'audio',
  { task, cost, count }: { readonly task: Task; readonly cost: CostRules; readonly count: number },
): number {
  const { terms } = task.price;
  return (terms?.rules.inputSecond?.[kind] ?? 0) > 0
    ? (terms?.facts.inputSeconds[kind] ?? 0)
    : count * (cost.inputSecondAssumed ?? 0);
}
