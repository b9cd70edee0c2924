import { Router, type Request, type RequestHandler, type Response } from 'express';
import { GatewayError, isId } from '@gateway/domain';
import {
  serveMedia,
  verifyMediaToken,
  type MediaStorage,
  type MediaTokenKeys,
} from '@gateway/media';
import { sendError, type Log } from '@gateway/runtime';
import type { Asset, Assets } from '@gateway/store';
import type { CreateAsset } from '../../use-cases/create-asset.ts';
import type { DeleteAsset } from '../../use-cases/delete-asset.ts';
import { idField } from '../../use-cases/query-field.ts';
import { pageNames, readPageQuery } from '../../use-cases/read-page-query.ts';
import { announcedBytes, sayContinue } from '../../bodies/index.ts';
import {
  authenticated,
  authenticatedForWork,
  callerOf,
  type Authenticate,
} from '../authentication.ts';
import type { BodyRoutes } from '../json-body.ts';
import { listOf } from '../list-resource.ts';
import { onlyMethods } from '../methods.ts';
import { queryText, queryTexts } from '../query-text.ts';
import { nameProblem, receiveUpload, type Upload } from '../upload.ts';
import { tokenOf, tokenRefusal } from './media.ts';

export interface AssetRoutesOptions {
  readonly authenticate: Authenticate;
  readonly createAsset: (request: CreateAsset) => Promise<Asset>;
  readonly deleteAsset: (request: DeleteAsset) => Promise<void>;
  readonly findOwn: Assets['findOwn'];
  readonly page: Assets['page'];
  readonly served: AssetContentOptions;
  readonly bodies: Pick<BodyRoutes, 'slotted'>;
  /** The largest file of any kind. */
  readonly mostBytes: () => number;
}

export interface AssetContentOptions {
  readonly keys: MediaTokenKeys;
  readonly maxTtlSeconds: number;
  readonly findServed: Assets['findServed'];
  readonly storage: MediaStorage;
  readonly log: Log;
  readonly now: () => Date;
}

const assetIds = idField('asset', 'the id of an asset');

/** `/v1/assets`: files to make videos from. Vendors read their content by signed addresses. */
export function assetRoutes(options: AssetRoutesOptions): Router {
  const router = Router();
  addAssets(router, options);
  addAsset(router, options);
  return router;
}

function addAssets(
  router: Router,
  { authenticate, createAsset, page, bodies, mostBytes }: AssetRoutesOptions,
): void {
  router
    .route('/v1/assets')
    .post(
      authenticatedForWork(authenticate, 'videos:write'),
      bodies.slotted(async (request, response) => {
        checkLength(request, mostBytes());
        sayContinue(request, response);
        const asset = await uploaded(request, (upload) =>
          createAsset({
            accountId: callerOf(response).accountId,
            // a form is longer than its file, so this is never too little
            announcedBytes: announcedBytes(request.headers) || undefined,
            ...upload,
          }),
        );
        response
          .location(`/v1/assets/${asset.id}`)
          .set('cache-control', 'no-store')
          .json(assetResource(asset));
      }),
    )
    .get(authenticated(authenticate, 'videos:read'), async (request, response) => {
      const cursors = readPageQuery(queryTexts(request, pageNames), assetIds);
      response
        .set('cache-control', 'no-store')
        .json(
          listOf(
            await page({ accountId: callerOf(response).accountId, ...cursors }),
            assetResource,
          ),
        );
    })
    .all(onlyMethods('GET', 'POST'));
}

function addAsset(
  router: Router,
  { authenticate, deleteAsset, findOwn, served }: AssetRoutesOptions,
): void {
  router
    .route('/v1/assets/:id')
    .get(authenticated(authenticate, 'videos:read'), async (request, response) => {
      const { assetId, accountId } = namedAsset(request, response);
      const [asset] = await findOwn([assetId], accountId);
      if (asset === undefined) throw noSuchAsset();
      response.set('cache-control', 'no-store').json(assetResource(asset));
    })
    .delete(authenticated(authenticate, 'videos:write'), async (request, response) => {
      const named = namedAsset(request, response);
      await deleteAsset(named);
      response
        .set('cache-control', 'no-store')
        .json({ id: named.assetId, object: 'asset.deleted', deleted: true });
    })
    .all(onlyMethods('GET', 'DELETE'));
  router.route('/v1/assets/:id/content').get(serve(served)).all(onlyMethods('GET', 'HEAD'));
}

/** A form has a little more than its file. */
const formBytes = 65_536;

/** Throws payload_too_large where the head says it already. */
function checkLength({ headers }: Request, mostBytes: number): void {
  if (announcedBytes(headers) > mostBytes + formBytes) {
    throw new GatewayError(
      'payload_too_large',
      `the body is larger than ${mostBytes} bytes, the most that a file may have`,
      { param: 'file' },
    );
  }
}

async function uploaded(
  request: Request,
  take: (upload: Upload) => Promise<Asset>,
): Promise<Asset> {
  const query = queryText(request, 'name');
  const problem = query === undefined ? undefined : nameProblem(query);
  if (problem !== undefined) throw problem;
  const { rest, ...upload } = await receiveUpload(request);
  const named = rest.then(({ name }) => ({ name: query ?? name }));
  named.catch(() => undefined); // nobody awaits it after another refusal
  return take({ ...upload, rest: named });
}

/** The asset that the path names, as the caller's; throws when the name cannot be one. */
function namedAsset(request: Request<{ id: string }>, response: Response): DeleteAsset {
  const { id: assetId } = request.params;
  if (!isId('asset', assetId)) throw noSuchAsset();
  return { assetId, accountId: callerOf(response).accountId };
}

const noSuchAsset = (): GatewayError =>
  new GatewayError('asset_not_found', 'there is no such asset in this account');

export const assetResource = (asset: Asset) => ({
  id: asset.id,
  object: 'asset',
  kind: asset.kind,
  content_type: asset.contentType,
  size_bytes: asset.sizeBytes,
  sha256: asset.sha256,
  width: asset.width,
  height: asset.height,
  ...(asset.durationSeconds !== null && { duration_seconds: asset.durationSeconds }),
  name: asset.name,
  created_at: asset.createdAt.toISOString(),
});

/** Opened by the signed token alone, as the media routes are. */
const serve =
  ({
    keys,
    maxTtlSeconds,
    findServed,
    storage,
    log,
    now,
  }: AssetContentOptions): RequestHandler<{ id: string }> =>
  async (request, response) => {
    const { id } = request.params;
    const verdict = verifyMediaToken({
      keys,
      token: tokenOf(request as Request),
      variant: 'asset',
      videoId: id,
      now: now(),
      maxTtlSeconds,
    });
    if (!verdict.ok) throw tokenRefusal(verdict.reason);
    const asset = isId('asset', id) ? await findServed(id) : undefined;
    if (asset === undefined) throw noSuchAsset();
    const { outcome, error } = await serveMedia({
      request,
      response,
      storage,
      object: {
        key: asset.storageKey,
        sizeBytes: asset.sizeBytes,
        sha256: asset.sha256,
        contentType: asset.contentType,
        lastModified: asset.createdAt,
        fileName: asset.name,
      },
      maxAgeSeconds: (verdict.expiresAt.getTime() - now().getTime()) / 1000,
      sendError: (code) => {
        sendError(
          response,
          new GatewayError(
            code,
            code === 'range_not_satisfiable'
              ? `the range lies outside the file, which has ${asset.sizeBytes} bytes`
              : 'the file does not match the condition of the request',
          ),
        );
      },
    });
    if (outcome === 'source_failed') {
      log.error('an asset could not be read to the end', { storageKey: asset.storageKey, error });
    }
  };
