import type { ErrorCode, IdKind } from '@gateway/domain';
import type { Schema } from '@gateway/contracts';
import { ref } from '../../http/resource-schemas.ts';
import { assetTypes } from '../../use-cases/asset-types.ts';
import {
  respondsWith,
  idSchema,
  pageParameters,
  type OperationResponse,
  type Operation,
  type Parameter,
} from '../operation.ts';

const binary: Schema = { type: 'string', contentMediaType: 'application/octet-stream' };
const mediaHeaders = ['Accept-Ranges', 'ETag', 'Last-Modified', 'Content-Disposition'];

const conditions: readonly Parameter[] = [
  ['Range', 'One range of bytes, for instance `bytes=0-1023`.'],
  ['If-Range', 'The ETag that the range belongs to; if the file has changed, all of it is sent.'],
  ['If-Match', 'ETags, one of which the file must have.'],
  ['If-None-Match', 'ETags of the copies that you have; a match gets 304.'],
  ['If-Modified-Since', 'Like `If-None-Match`, by time.'],
  ['If-Unmodified-Since', 'Like `If-Match`, by time.'],
].map(([name = '', description = '']) => ({ name, description, schema: { type: 'string' } }));

const download: Parameter = {
  name: 'download',
  schema: { type: 'string' },
  description: '`1`: browsers save the file instead of showing it.',
};

interface Served {
  readonly path: string;
  readonly id: string;
  readonly kind: IdKind;
  readonly tag: string;
  readonly summary: string;
  readonly types: readonly string[];
  readonly errors: readonly ErrorCode[];
}

function served({ path, id, kind, tag, summary, types, errors }: Served): Operation {
  const content = Object.fromEntries(
    [...types, 'application/octet-stream'].map((type) => [type, binary]),
  );
  const responses: Record<number, OperationResponse> = {
    200: { description: 'The whole file.', content, headers: mediaHeaders },
    206: {
      description: 'The requested range.',
      content,
      headers: [...mediaHeaders, 'Content-Range'],
    },
    304: { description: 'The client’s copy is current.', headers: ['ETag'] },
  };
  return {
    path,
    id,
    tag,
    summary,
    responses,
    method: 'get',
    access: 'media token',
    ids: { id: kind },
    query: [download],
    headers: conditions,
    description:
      'The token in the address is all that this route needs. Ranges and resumed downloads work; an address stays the same for a while, so that copies can be cached.',
    errors: [
      'invalid_parameter',
      'missing_token',
      'invalid_token',
      'token_expired',
      'precondition_failed',
      'range_not_satisfiable',
      'upstream_unavailable',
      ...errors,
    ],
  };
}

const ofTask = ['task_not_found', 'content_not_ready', 'content_purged'] as const;

export const fileOperations: readonly Operation[] = [
  served({
    path: '/v1/videos/{id}/content',
    id: 'getVideoContent',
    kind: 'task',
    tag: 'Videos',
    summary: 'Get the video',
    types: ['video/mp4', 'video/webm', 'video/quicktime'],
    errors: ofTask,
  }),
  served({
    path: '/v1/videos/{id}/last-frame',
    id: 'getVideoLastFrame',
    kind: 'task',
    tag: 'Videos',
    summary: 'Get the last frame',
    types: ['image/jpeg', 'image/png', 'image/webp'],
    errors: ofTask,
  }),
  served({
    path: '/v1/videos/{id}/poster',
    id: 'getVideoPoster',
    kind: 'task',
    tag: 'Videos',
    summary: 'Get the poster',
    types: ['image/jpeg'],
    errors: ofTask,
  }),
  {
    id: 'createAsset',
    method: 'post',
    path: '/v1/assets',
    tag: 'Assets',
    access: 'videos:write',
    summary: 'Upload an image, a video or an audio clip',
    description:
      'Send the file as a form part named `file`, or as the body itself. Its first bytes decide its type.',
    query: [
      {
        name: 'name',
        schema: { type: 'string', minLength: 1, maxLength: 255 },
        description: 'Name of the file; overrides the one in the form.',
        example: 'cat.png',
      },
    ],
    body: {
      content: {
        'multipart/form-data': {
          schema: {
            type: 'object',
            required: ['file'],
            properties: { file: binary, name: { type: 'string', minLength: 1, maxLength: 255 } },
          },
        },
        ...Object.fromEntries(
          [...Object.values(assetTypes).flat(), 'application/octet-stream'].map((type) => [
            type,
            { schema: binary },
          ]),
        ),
      },
    },
    responses: respondsWith('Asset', 'The asset.', ['Location']),
    errors: [
      'missing_parameter',
      'unknown_parameter',
      'invalid_parameter',
      'unsupported_media_type',
      'payload_too_large',
      'account_suspended',
      'asset_quota_exceeded',
      'upstream_unavailable',
    ],
  },
  {
    id: 'listAssets',
    method: 'get',
    path: '/v1/assets',
    tag: 'Assets',
    access: 'videos:read',
    summary: 'List assets',
    query: pageParameters(idSchema('asset')),
    responses: respondsWith('AssetList', 'The account’s assets, newest first.'),
    errors: ['invalid_parameter'],
  },
  {
    id: 'getAsset',
    method: 'get',
    path: '/v1/assets/{id}',
    tag: 'Assets',
    access: 'videos:read',
    summary: 'Read an asset',
    ids: { id: 'asset' },
    responses: respondsWith('Asset', 'The asset.'),
    errors: ['asset_not_found'],
  },
  {
    id: 'deleteAsset',
    method: 'delete',
    path: '/v1/assets/{id}',
    tag: 'Assets',
    access: 'videos:write',
    summary: 'Delete an asset',
    ids: { id: 'asset' },
    responses: {
      200: {
        description: 'The asset is gone.',
        content: { 'application/json': ref('AssetDeleted') },
      },
    },
    errors: ['asset_not_found'],
  },
  served({
    path: '/v1/assets/{id}/content',
    id: 'getAssetContent',
    kind: 'asset',
    tag: 'Assets',
    summary: 'Get the file of an asset',
    types: Object.values(assetTypes).flat(),
    errors: ['asset_not_found'],
  }),
];
