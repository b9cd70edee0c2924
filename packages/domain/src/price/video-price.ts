import type { QuotaRules } from './price-rules.ts';

/** What a model costs, in the operator's quota units per second of video. */
export interface VideoPrice {
  /** One figure, or one for each resolution. */
  readonly secondQuota: number | Readonly<Record<string, number>>;
  /** Added for each second when audio is generated. */
  readonly audioSecondQuota: number;
  /** Where seconds of output are not all that it charges for; they are among these rules, too. */
  readonly rules?: QuotaRules;
}

/**
 * Quota for one second of this video. The configuration guarantees a price for each allowed
 * resolution.
 */
export function secondQuota(
  price: VideoPrice,
  options: { resolution: string; audio: boolean },
): number {
  const base =
    typeof price.secondQuota === 'number'
      ? price.secondQuota
      : price.secondQuota[options.resolution];
  if (base === undefined) throw new Error(`no price for resolution ${options.resolution}`);
  return base + (options.audio ? price.audioSecondQuota : 0);
}

export interface BilledLength {
  /** Seconds the probe found in the stored file. */
  readonly probedSeconds: number;
  /** Whole seconds the vendor reported, when it did. */
  readonly vendorSeconds: number | undefined;
  /** Seconds reserved at creation: never exceeded. */
  readonly reservedSeconds: number;
}

/**
 * Whole seconds to bill: the vendor's figure when it agrees with the stored file within one second,
 * else the file's length rounded to the nearest second; at least 1, never more than reserved.
 */
export function billedSeconds({
  probedSeconds,
  vendorSeconds,
  reservedSeconds,
}: BilledLength): number {
  const agreed =
    vendorSeconds !== undefined &&
    Number.isInteger(vendorSeconds) &&
    Math.abs(vendorSeconds - probedSeconds) <= 1;
  const seconds = agreed ? vendorSeconds : Math.round(probedSeconds);
  return Math.min(Math.max(seconds, 1), reservedSeconds);
}

/**
 * Tokens of a video whose vendor reports none: width × height × (24 × seconds + 1) / 1024, rounded.
 * The formula reproduces the figures in Ark's documentation (1280 × 720, 5 s: 108,900).
 */
export function videoTokens(video: { width: number; height: number; seconds: number }): number {
  return Math.round((video.width * video.height * (24 * video.seconds + 1)) / 1024);
}
