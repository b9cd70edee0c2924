import {
  factorsOf,
  longestPricedReference,
  requestError,
  type ReadVideoRequest,
  type TaskPrice,
  type Violation,
  type WrittenReference,
} from '@gateway/contracts';
import {
  outputRate,
  secondQuota,
  termsOf,
  type PriceFacts,
  type QuotaRules,
} from '@gateway/domain';
import type { OwnFile, OwnFiles } from './own-files.ts';

/** The length of a reference in seconds, not rounded; or why it cannot be had, for the customer. */
export type Measured = { readonly seconds: number } | { readonly problem: string };

export interface PriceVideoPorts {
  /**
   * Measures references that are no files of the account's own, within a bound of time for all of them. Throws overloaded
   * when too many are measured already.
   */
  readonly measure: (
    references: readonly WrittenReference[],
    accountId: string,
  ) => Promise<ReadonlyMap<WrittenReference, Measured>>;
}

export interface VideoToPrice {
  readonly read: ReadVideoRequest;
  readonly accountId: string;
  readonly ownFiles: OwnFiles;
}

/** The most that a video can cost, fixed here for the task's whole life. */
export type PriceVideo = (video: VideoToPrice) => TaskPrice | Promise<TaskPrice>;

type TimedKind = keyof PriceFacts['inputSeconds'];

/**
 * Seconds of output cost nothing but a multiplication. Where seconds of references are priced, those
 * are measured first: throws invalid_parameter, which names each that has no length.
 */
export function createPriceVideo({ measure }: PriceVideoPorts): PriceVideo {
  return (video) => {
    const { read, accountId, ownFiles } = video;
    const { rules } = read.model.price;
    if (rules === undefined) return plainPrice(read);
    const timed = read.request.references.filter(({ kind }) => isTimed(rules, kind));
    if (timed.length === 0) return rulesPrice(read, rules, { video: 0, audio: 0 });
    return (async () => {
      const others = timed.filter((reference) => !ownFiles.has(reference));
      const measured = others.length === 0 ? undefined : await measure(others, accountId);
      const lengths = timed.map((reference) => ({
        reference,
        length: measured?.get(reference) ?? lengthOf(ownFiles.get(reference)),
      }));
      return rulesPrice(read, rules, inputSeconds(lengths, rules));
    })();
  };
}

const isTimed = ({ inputSecond }: QuotaRules, kind: string): kind is TimedKind =>
  (inputSecond?.[kind as TimedKind] ?? 0) > 0;

const lengthOf = (file: OwnFile | undefined): Measured =>
  file?.durationSeconds == null
    ? { problem: 'its file does not say how long it is' }
    : { seconds: file.durationSeconds };

/** Auto length (-1) reserves the model's maximum. */
const reservedSecondsOf = ({ model, request }: ReadVideoRequest): number =>
  request.duration === -1 ? model.duration.max : request.duration;

function plainPrice(read: ReadVideoRequest): TaskPrice {
  const { resolution, generateAudio: audio } = read.request;
  const reservedSeconds = reservedSecondsOf(read);
  const perSecond = secondQuota(read.model.price, { resolution, audio });
  return { secondQuota: perSecond, reservedSeconds, maxQuota: perSecond * reservedSeconds };
}

function rulesPrice(
  read: ReadVideoRequest,
  rules: QuotaRules,
  seconds: PriceFacts['inputSeconds'],
): TaskPrice {
  const { resolution, generateAudio: audio, references } = read.request;
  const reservedSeconds = reservedSecondsOf(read);
  const count = (wanted: string): number => references.filter(({ kind }) => kind === wanted).length;
  const { terms, quota } = termsOf(rules, {
    resolution,
    seconds: reservedSeconds,
    audio,
    inputSeconds: seconds,
    references: { image: count('image'), video: count('video'), audio: count('audio') },
    factors: factorsOf(read.request),
  });
  return {
    secondQuota: outputRate(rules, { resolution, audio }),
    reservedSeconds,
    maxQuota: quota,
    terms,
  };
}

/** A length is a quotient, so that five seconds may come out as a little more. */
const wholeSeconds = (seconds: number): number => Math.max(1, Math.ceil(seconds - 1e-6));

interface Length {
  readonly reference: WrittenReference;
  readonly length: Measured;
}

/** Each reference rounded up to whole seconds, by kind. */
function inputSeconds(
  lengths: readonly Length[],
  { inputSecondAssumed: assumed }: QuotaRules,
): PriceFacts['inputSeconds'] {
  const violations = lengths.flatMap(({ reference: { param }, length }): Violation[] => {
    const problem = problemOf(length, assumed);
    return problem === undefined
      ? []
      : [{ code: 'invalid_parameter', param, message: `${param} ${problem}` }];
  });
  const [first, ...rest] = violations;
  if (first !== undefined) throw requestError([first, ...rest]);
  const sum = (kind: TimedKind): number =>
    lengths
      .filter(({ reference }) => reference.kind === kind)
      .reduce(
        (all, { length }) =>
          all + ('seconds' in length ? wholeSeconds(length.seconds) : (assumed ?? 0)),
        0,
      );
  return { video: sum('video'), audio: sum('audio') };
}

function problemOf(length: Measured, assumed: number | undefined): string | undefined {
  if ('problem' in length) {
    return assumed === undefined
      ? `could not be measured, and this model charges for its seconds: ${length.problem}; send an address that serves the file, or upload it as an asset`
      : undefined;
  }
  return length.seconds > longestPricedReference
    ? `is ${Math.ceil(length.seconds)} seconds long; this model takes at most ${longestPricedReference}`
    : undefined;
}
