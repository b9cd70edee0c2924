import type { SourceVariant, Violation, WrittenReference } from '@gateway/contracts';
import type { SourceVideo } from '@gateway/store';
import type { OwnFile } from './own-files.ts';

/** Which file of a video is meant: a picture of it is its last. */
const variantOf: Readonly<Record<WrittenReference['kind'], SourceVariant | undefined>> = {
  video: 'content',
  image: 'last-frame',
  audio: undefined,
};

/** The file of an own video that a reference means, or why there is none. */
export function resolveVideo(
  { kind, param }: WrittenReference,
  video: SourceVideo | undefined,
): OwnFile | Violation {
  if (video === undefined) {
    return {
      code: 'task_not_found',
      param,
      message: `${param} names a video that does not exist in this account`,
    };
  }
  const variant = variantOf[kind];
  const file = video.files.find((each) => each.variant === variant);
  const problem = problemOf(video, variant);
  if (problem !== undefined || file === undefined || variant === undefined) {
    return {
      code: 'invalid_parameter',
      param,
      message: `${param} ${problem ?? `names ${video.taskId}, which was made without return_last_frame, so that there is no picture of it; use it as a video, or upload a picture`}`,
    };
  }
  const { storageKey, contentType, sizeBytes, sha256 } = file;
  return {
    source: {
      type: 'task',
      taskId: video.taskId,
      variant,
      key: storageKey,
      mediaType: contentType,
      sizeBytes,
      sha256,
    },
    durationSeconds: variant === 'content' ? video.seconds : null,
  };
}

const unfinished: readonly SourceVideo['status'][] = ['queued', 'running'];

function problemOf(
  { taskId, status, isDeleted, isPurged }: SourceVideo,
  variant: SourceVariant | undefined,
): string | undefined {
  const rules: readonly (readonly [broken: boolean, problem: string])[] = [
    [isDeleted, `names ${taskId}, which was deleted`],
    [
      variant === undefined,
      `names ${taskId}, and a video is no reference of type audio; use it as a video`,
    ],
    [
      unfinished.includes(status),
      `names ${taskId}, which is not finished; wait until it has succeeded`,
    ],
    [status !== 'succeeded', `names ${taskId}, which has no video: it ${endOf[status] ?? ''}`],
    [isPurged, `names ${taskId}, whose files were removed after their retention time`],
  ];
  return rules.find(([broken]) => broken)?.[1];
}

const endOf: Readonly<Partial<Record<SourceVideo['status'], string>>> = {
  failed: 'failed',
  expired: 'expired',
  cancelled: 'was cancelled',
};
