import type { Video } from '@gateway/client';

type Content = NonNullable<Extract<Video, { status: 'succeeded' }>['content']>;
type Failure = Extract<Video, { status: 'failed' }>['error'];

/** The files of a video, while it has some. */
export const contentOf = (video: Video): Content | undefined =>
  video.status === 'succeeded' ? video.content : undefined;

/** Why a video did not come to be. */
export const failureOf = (video: Video): Failure | undefined =>
  'error' in video ? video.error : undefined;

/** What was charged, once that is known. */
export const chargedOf = ({ portal_billing: bill }: Video): number | undefined =>
  'billed_quota' in bill ? bill.billed_quota : undefined;

const endOf = (video: Video): string | undefined =>
  'completed_at' in video ? video.completed_at : undefined;

/** How long a video took, or has been under way. */
export const tookMs = (video: Video): number | undefined => {
  const end = endOf(video);
  return end === undefined ? undefined : Date.parse(end) - Date.parse(video.created_at);
};

/** A ratio as CSS has it; where it is not known yet, that of most videos. */
export function aspectOf(ratio: string): string {
  const [, wide, high] = /^(\d+):(\d+)$/.exec(ratio) ?? [];
  return wide === undefined || high === undefined ? '16 / 9' : `${wide} / ${high}`;
}

/** What was asked for, in one line; videos of an installation that keeps no prompts have none. */
export const titleOf = ({ id, request }: Video): string => {
  const prompt = request?.prompt?.trim();
  return prompt === undefined || prompt === '' ? id : prompt;
};
