import { Router, type Request, type Response } from 'express';
import { applyFaults } from '../control/apply-fault.ts';
import type { Activity } from '../control/activity.ts';
import type { Faults } from '../control/faults.ts';
import type { TaskFile } from '../tasks/task.ts';
import type { DirectiveName } from '../tasks/directives.ts';
import type { RenderCache } from '../render/render-cache.ts';
import { renderKey } from '../render/video-spec.ts';
import type { Links } from './links.ts';

export interface FileDependencies {
  readonly videos: Pick<RenderCache, 'get'>;
  readonly activity: Activity;
  readonly faults: Faults;
}

const kinds = {
  'video.mp4': { type: 'video/mp4', part: 'mp4' },
  'last_frame.jpeg': { type: 'image/jpeg', part: 'lastFrame' },
} as const;

const isKind = (name: string): name is keyof typeof kinds => Object.hasOwn(kinds, name);

/** A response in the words of the object storage that stands behind such links. */
const refuse = (response: Response, status: number, code: string): void => {
  response.status(status).json({ Code: code, Message: 'The request was refused.' });
};

const notMp4 = '<!doctype html><title>Sign in</title><p>This is not a video.</p>';

/**
 * A link-local address where clouds keep credentials: a client that follows this is not guarded.
 */
const privateAddress = 'http://169.254.169.254/latest/meta-data/';

type Respond = (response: Response) => void;

/** Ways in which a download of the video goes wrong at once. */
const mishaps: Readonly<Partial<Record<DirectiveName, Respond>>> = {
  'redirect-private': (response) => {
    response.redirect(302, privateAddress);
  },
  'not-mp4': (response) => {
    response.type('html').send(notMp4);
  },
};

/** What the file's directives send for this download instead of the video. */
function mishapOf({ directives }: TaskFile, download: number): Respond | undefined {
  if (download <= (directives['file-errors'] ?? 0)) {
    return (response) => {
      refuse(response, 503, 'SlowDown');
    };
  }
  return Object.entries(mishaps).find(
    ([name]) => directives[name as DirectiveName] !== undefined,
  )?.[1];
}

/** Serves finished videos like presigned links: no key, GET only, whole or one range. */
export function fileRoutes({
  links,
  ...dependencies
}: FileDependencies & { readonly links: Links }): Router {
  const router = Router();
  router.head('/:token/:name', (_request, response) => {
    refuse(response, 403, 'SignatureDoesNotMatch');
  }); // the signature of such a link covers the method
  router.get('/:token/:name', applyFaults(dependencies, 'file'), async (request, response) => {
    const [token, name] = [String(request.params['token']), String(request.params['name'])];
    const file = links.find(token);
    if (file === undefined || !isKind(name)) {
      refuse(response, 403, 'AccessDenied');
      return;
    }
    await sendFile(file, name, { request, response, ...dependencies });
  });
  return router;
}

/** Sends one of the files of a video, or what its directives say instead. */
export async function sendFile(
  file: TaskFile,
  name: keyof typeof kinds,
  {
    request,
    response,
    videos,
    activity,
  }: Omit<FileDependencies, 'faults'> & { readonly request: Request; readonly response: Response },
): Promise<void> {
  activity.count('downloads');
  const { type, part } = kinds[name];
  // the directives are about the video; its last frame is always good
  const isVideo = part === 'mp4';
  const mishap = isVideo ? mishapOf(file, activity.countDownload(file.token)) : undefined;
  if (mishap !== undefined) {
    mishap(response);
    return;
  }
  const bytes = (await videos.get(file.spec))[part];
  sendBytes(request, response, {
    bytes,
    type,
    etag: `"${renderKey(file.spec)}"`,
    cutShort: isVideo && file.directives.truncated !== undefined,
  });
}

interface Payload {
  readonly bytes: Uint8Array;
  readonly type: string;
  readonly etag: string;
  readonly cutShort: boolean;
}

function sendBytes(
  request: Request,
  response: Response,
  { bytes, type, etag, cutShort }: Payload,
): void {
  const size = bytes.length;
  response.set({ 'content-type': type, 'accept-ranges': 'bytes', etag });
  const condition = request.get('if-range');
  const range = condition === undefined || condition === etag ? request.range(size) : undefined;
  if (range === -1) {
    response.status(416).set('content-range', `bytes */${size}`).end();
    return;
  }
  const single =
    Array.isArray(range) && range.type === 'bytes' && range.length === 1 ? range[0] : undefined;
  const { start, end } = single ?? { start: 0, end: size - 1 };
  if (single !== undefined) {
    response.status(206).set('content-range', `bytes ${start}-${end}/${size}`);
  }
  response.set('content-length', String(end - start + 1));
  const body = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start + 1);
  if (!cutShort) {
    response.end(body);
    return;
  }
  response.write(body.subarray(0, Math.floor(body.length / 2)), () => {
    request.socket.destroy();
  });
}
