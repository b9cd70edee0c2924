import { probeImage, probeMp4, sourceFromBytes } from '@gateway/media';
import type { VendorOutput } from '@gateway/video-providers';
import type { CheckPlan } from './plan.ts';
import type { FetchedFile, Verdict } from './step.ts';

/** How far a shape may be off: sizes are multiples of sixteen. */
const ratioTolerance = 0.06;

/** The video as a worker would probe it. Throws for what is none. */
export const judgeFile =
  ({ seconds: said }: Pick<VendorOutput, 'seconds'>, { submission }: CheckPlan) =>
  async ({ contentType = 'video/mp4', bytes }: FetchedFile): Promise<Verdict> => {
    const probe = await probeMp4(sourceFromBytes(bytes));
    const { seconds, width, height } = probe;
    const { duration, ratio } = submission;
    const rules: readonly (readonly [broken: boolean, problem: string])[] = [
      [!/^(video\/|application\/octet-stream)/.test(contentType), `its type is ${contentType}`],
      [Math.abs(seconds - duration) > 1, `${duration} s were asked for`],
      [Math.abs(seconds - (said ?? seconds)) > 1, `the vendor reports ${said ?? 0} s`],
      [!hasRatio({ width, height }, ratio), `${ratio} was asked for`],
      [probe.hasAudio, 'it has sound, and none was asked for'],
    ];
    const problems = rules.filter(([broken]) => broken).map(([, problem]) => problem);
    const found = `${probe.container} ${probe.videoCodec}, ${seconds.toFixed(1)} s, ${width}x${height}, ${bytes.length} bytes`;
    return problems.length === 0 ? ['ok', found] : ['differs', [found, ...problems].join('; ')];
  };

/** Whatever is no pair of numbers fits. */
function hasRatio(
  size: { readonly width: number; readonly height: number },
  ratio: string,
): boolean {
  const [, wide, high] = /^(\d+):(\d+)$/.exec(ratio) ?? [];
  const asked = Number(wide) / Number(high);
  return !(Math.abs(size.width / size.height - asked) > asked * ratioTolerance);
}

/** Judges what came as a last frame. */
export function judgeFrame({ bytes }: Pick<FetchedFile, 'bytes'>): Promise<Verdict> {
  const image = probeImage(bytes);
  return Promise.resolve(
    image?.mediaType === 'image/jpeg' || image?.mediaType === 'image/png'
      ? ['ok', `${image.mediaType}, ${image.width}x${image.height}, ${bytes.length} bytes`]
      : ['differs', `${image?.mediaType ?? 'no picture'}, and a JPEG or PNG is expected`],
  );
}
