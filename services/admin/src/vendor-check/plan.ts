import { sizeOf, type VendorCapabilities, type VideoModel } from '@gateway/contracts';
import { costSum, quotaSum, videoTokens, type CostRules, type PriceFacts } from '@gateway/domain';
import type { Submission } from '@gateway/video-providers';

/** The cheapest video that a model can make, and what it is likely to cost. */
export interface CheckPlan {
  readonly model: string;
  readonly submission: Submission;
  /** Undefined: the configuration does not tell. */
  readonly cost: { readonly amount: string; readonly currency: string } | undefined;
}

export interface ModelToCheck {
  readonly model: VideoModel;
  readonly upstreamModel: string;
  readonly cost: CostRules | undefined;
  readonly capabilities: VendorCapabilities;
}

const prompt = 'A red ball rolls slowly across a white table.';
const expiresAfterSeconds = 3_600;

/** A text alone, the shortest length, the cheapest resolution, without sound. */
export function planCheck(
  { model, upstreamModel, cost, capabilities }: ModelToCheck,
  correlation: string,
): CheckPlan {
  const duration = shortest(model, capabilities);
  const pictures = picturesOf(model, capabilities).map((picture) => {
    const facts = factsOf({ ...picture, seconds: duration });
    return { ...picture, facts, weight: weightOf({ model, cost, facts }) };
  });
  const [cheapest] = pictures.toSorted((one, other) => one.weight - other.weight);
  if (cheapest === undefined) throw new Error(`${model.name} can be asked for no video`);
  const { ratio, resolution, facts } = cheapest;
  return {
    model: model.name,
    cost: cost && { amount: costSum(cost, facts), currency: cost.currency },
    submission: {
      correlation,
      upstreamModel,
      prompt: prompt.slice(0, model.promptMaxCharacters),
      references: [],
      ratio,
      duration,
      resolution,
      watermark: false,
      seed: null,
      generateAudio: false,
      returnLastFrame: asksForFrame(model, capabilities),
      unsupported: model.unsupported,
      expiresAfterSeconds,
    },
  };
}

/** One that the vendor gives costs nothing, and shows whether it still does. */
const asksForFrame = (
  { lastFrame, unsupported }: VideoModel,
  capabilities: VendorCapabilities,
): boolean =>
  (lastFrame ?? 'vendor') === 'vendor' &&
  capabilities.lastFrame !== false &&
  !unsupported.includes('return_last_frame');

function shortest({ duration: { min, max } }: VideoModel, { format }: VendorCapabilities): number {
  const possible = format?.seconds.filter((seconds) => seconds >= min && seconds <= max) ?? [];
  return possible.length === 0 ? min : Math.min(...possible);
}

interface Picture {
  readonly ratio: string;
  readonly resolution: string;
}

/** Those that the format has a word for; `adaptive` follows a reference, and there is none. */
function picturesOf(
  { ratio, resolution }: VideoModel,
  { format }: VendorCapabilities,
): readonly Picture[] {
  const ratios = [ratio.default, ...ratio.allowed];
  const named = ratios.filter((value) => value !== 'adaptive');
  return resolution.allowed.flatMap((value) => {
    const fitting = (named.length > 0 ? named : ratios).find(
      (one) => format === undefined || sizeOf(format, { resolution: value, ratio: one }),
    );
    return fitting === undefined ? [] : [{ ratio: fitting, resolution: value }];
  });
}

function factsOf({ ratio, resolution, seconds }: Picture & { seconds: number }): PriceFacts {
  return {
    resolution,
    seconds,
    audio: false,
    inputSeconds: { video: 0, audio: 0 },
    references: { image: 0, video: 0, audio: 0 },
    factors: [],
    tokens: videoTokens({ ...sizeIn(resolution, ratio), seconds }),
  };
}

/** Of a resolution that is a number of lines; others are taken for large. */
function sizeIn(resolution: string, ratio: string): { width: number; height: number } {
  const lines = Number(/^(\d{3,4})p$/i.exec(resolution)?.[1] ?? 2_160);
  const [wide = 16, high = 9] = /^\d+:\d+$/.test(ratio) ? ratio.split(':').map(Number) : [];
  const long = Math.round((lines * Math.max(wide, high)) / Math.min(wide, high));
  return wide < high ? { width: lines, height: long } : { width: long, height: lines };
}

/** What the vendor asks for, else what the customer pays, else the size. */
function weightOf({
  model: { price },
  cost,
  facts,
}: {
  readonly model: VideoModel;
  readonly cost: CostRules | undefined;
  readonly facts: PriceFacts;
}): number {
  if (cost !== undefined) return Number(costSum(cost, facts));
  const rules = price.rules ?? { outputSecond: price.secondQuota };
  const { quota } = quotaSum(rules, facts);
  return quota === 0 ? (facts.tokens ?? 0) : quota;
}

/** What the operator is told before anything is asked for. */
export function planLines(provider: string, { model, submission, cost }: CheckPlan): string[] {
  const { duration, resolution, ratio, upstreamModel, returnLastFrame } = submission;
  return [
    `asks ${provider} for one video: ${upstreamModel} (${model}), ${duration} s, ${resolution}, ${ratio}, a text alone, no sound${returnLastFrame ? ', with its last frame' : ''}`,
    cost === undefined
      ? `what it costs is not known: the configuration has no cost for ${model}`
      : `it is likely to cost ${cost.amount} ${cost.currency}`,
  ];
}
