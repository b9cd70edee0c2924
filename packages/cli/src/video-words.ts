import type { Video, VideoQuote } from '@gateway/client';
import { numberText } from './terminal.ts';

/** What a video costs, before it is made. */
export function quoteText({ model, portal_billing: billing, balance }: VideoQuote): string {
  const most = numberText(billing.max_billing_quota);
  const seconds = `${billing.reserved_duration_seconds} s with ${model}`;
  return `${seconds} cost at most ${most} quota; ${numberText(balance)} are available`;
}

/** What was held for a video and what it has cost. */
export function billText({ portal_billing: billing }: Video): string {
  const held = `held ${numberText(billing.max_billing_quota)} quota`;
  return 'billed_quota' in billing ? `${held}, charged ${numberText(billing.billed_quota)}` : held;
}

/** How a status is told of a video, where "is" does not do. */
const verbs: Readonly<Partial<Record<Video['status'], string>>> = {
  failed: 'failed',
  expired: 'expired',
  cancelled: 'was cancelled',
};

/** Why there is no video. */
export function failureText(video: Video): string {
  const told = `${video.id} ${verbs[video.status] ?? `is ${video.status}`}`;
  return 'error' in video ? `${told}: ${video.error.message} (${video.error.code})` : told;
}
