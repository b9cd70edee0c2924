import { Router, type Request, type RequestHandler } from 'express';
import { mediaVariants, type MediaVariant, type SourceVariant } from '@gateway/contracts';
import { GatewayError, isId } from '@gateway/domain';
import {
  serveMedia,
  StorageError,
  verifyMediaToken,
  type MediaStorage,
  type MediaTokenKeys,
  type MediaTokenVerdict,
} from '@gateway/media';
import { sendError, type Log } from '@gateway/runtime';
import type { MediaRecord, SourceVideos, TaskReads } from '@gateway/store';
import { onlyMethods } from '../methods.ts';

export interface MediaRoutesOptions {
  readonly keys: MediaTokenKeys;
  readonly maxTtlSeconds: number;
  readonly findMedia: TaskReads['findMedia'];
  readonly findSourceFile: SourceVideos['findSourceFile'];
  readonly storage: MediaStorage;
  readonly log: Log;
  readonly now: () => Date;
}

const fileNames: Readonly<Record<MediaVariant, (taskId: string, contentType: string) => string>> = {
  content: (taskId) => `${taskId}.mp4`,
  'last-frame': (taskId, contentType) =>
    `${taskId}-last-frame.${contentType === 'image/png' ? 'png' : 'jpg'}`,
  poster: (taskId) => `${taskId}-poster.jpg`,
};

/** The media routes. Only the signed token opens them; an API key does not. */
export function mediaRoutes(options: MediaRoutesOptions): Router {
  const router = Router();
  for (const variant of mediaVariants) {
    router
      .route(`/v1/videos/:id/${variant}`)
      .get(serve(variant, options))
      .all(onlyMethods('GET', 'HEAD'));
  }
  return router;
}

const serve =
  (variant: MediaVariant, options: MediaRoutesOptions): RequestHandler<{ id: string }> =>
  async (request, response) => {
    const { storage, log, now } = options;
    const { id } = request.params;
    const { isForVendor, verdict } = judgeToken(request as Request, { id, variant }, options);
    if (!verdict.ok) throw tokenRefusal(verdict.reason);
    const find = (): Promise<MediaRecord> =>
      isForVendor ? usable(id, variant, options) : servable(id, variant, options);
    const media = await find();
    const { outcome, error } = await serveMedia({
      request,
      response,
      storage,
      object: {
        key: media.storageKey,
        sizeBytes: media.sizeBytes,
        sha256: media.sha256,
        contentType: media.contentType,
        lastModified: media.createdAt,
        fileName: fileNames[variant](id, media.contentType),
      },
      maxAgeSeconds: (verdict.expiresAt.getTime() - now().getTime()) / 1000,
      sendError: (code) => {
        sendError(
          response,
          new GatewayError(
            code,
            code === 'range_not_satisfiable'
              ? `the range lies outside the file, which has ${media.sizeBytes} bytes`
              : 'the file does not match the condition of the request',
          ),
        );
      },
    }).catch((thrown: unknown) => notServed(thrown, find));
    if (outcome === 'source_failed') {
      log.error('a media file could not be read to the end', {
        storageKey: media.storageKey,
        error,
      });
    }
  };

/** A vendor's token opens the same path, and says so by what was signed. There is none for posters. */
function judgeToken(
  request: Request,
  { id, variant }: { readonly id: string; readonly variant: MediaVariant },
  { keys, maxTtlSeconds, now }: MediaRoutesOptions,
): { readonly isForVendor: boolean; readonly verdict: MediaTokenVerdict } {
  const token = tokenOf(request);
  const verify = (signed: MediaVariant | `source-${SourceVariant}`): MediaTokenVerdict =>
    verifyMediaToken({ keys, token, variant: signed, videoId: id, now: now(), maxTtlSeconds });
  const verdict = verify(variant);
  if (verdict.ok || verdict.reason !== 'wrong_mac' || variant === 'poster') {
    return { isForVendor: false, verdict };
  }
  const ofVendor = verify(`source-${variant}`);
  return { isForVendor: ofVendor.ok, verdict: ofVendor };
}

/** The file for a vendor; where no task is made from it any more, what everybody is told. */
const usable = async (
  id: string,
  variant: MediaVariant,
  options: MediaRoutesOptions,
): Promise<MediaRecord> =>
  (isId('task', id) ? await options.findSourceFile(id, variant) : undefined) ??
  servable(id, variant, options);

/** The file that the path names; throws the documented error when there is none to serve. */
async function servable(
  id: string,
  variant: MediaVariant,
  { findMedia }: MediaRoutesOptions,
): Promise<MediaRecord> {
  const media = isId('task', id) ? await findMedia(id, variant) : undefined;
  if (media === undefined) throw new GatewayError('task_not_found', 'there is no such task');
  if (media === null) {
    throw new GatewayError(
      'content_not_ready',
      'this file does not exist: the task is not finished, or the file was not requested',
    );
  }
  if (media.purgedAt !== null) {
    throw new GatewayError(
      'content_purged',
      `this file was removed at ${media.purgedAt.toISOString()}, after its retention time`,
    );
  }
  return media;
}

/** Nothing has been sent: the client can be told what to do. */
async function notServed(thrown: unknown, find: () => Promise<MediaRecord>): Promise<never> {
  if (!StorageError.is(thrown)) throw thrown;
  // it may have been purged or deleted since it was found
  if (thrown.code === 'not_found') await find();
  throw thrown.code === 'not_found' || thrown.code === 'replaced'
    ? thrown
    : new GatewayError('upstream_unavailable', 'the file cannot be read right now; try again', {
        retryAfterMs: 5_000,
        cause: thrown,
      });
}

/** The token of an address. Repeated ones are refused rather than picked from. */
export function tokenOf(request: Request): string {
  const { token } = request.query;
  if (token === undefined || token === '') {
    throw new GatewayError(
      'missing_token',
      'this address is missing its token; read the task again and use the complete address',
    );
  }
  if (typeof token !== 'string') throw tokenRefusal('malformed');
  return token;
}

/** The response to a token that does not open an address. */
export const tokenRefusal = (reason: string): GatewayError =>
  reason === 'expired'
    ? new GatewayError(
        'token_expired',
        'this address has expired; read the task again to get a new one',
      )
    : new GatewayError(
        'invalid_token',
        'this token is not valid for this address; read the task again to get a new one',
      );
