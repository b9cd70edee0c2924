import type { ErrorCode, IdKind } from '@gateway/domain';
import type { Schema } from '@gateway/contracts';
import { ref } from '../../http/resource-schemas.ts';
import { assetTypes } from '../../use-cases/asset-types.ts';
import {
  answersWith,
  idSchema,
  pageParameters,
  type Answer,
  type Operation,
  type Parameter,
} from '../operation.ts';

const binary: Schema = { type: 'string', contentMediaType: 'application/octet-stream' };
const mediaHeaders = ['Accept-Ranges', 'ETag', 'Last-Modified', 'Content-Disposition'];

const conditions: readonly Parameter[] = [
  ['Range', 'One range of bytes, for instance `bytes=0-1023`.'],
  ['If-Range', 'The ETag for which the range is good; the whole file is sent when it is another.'],
  ['If-Match', 'ETags that the file must have.'],
  ['If-None-Match', 'ETags that need no answer with a body.'],
  ['If-Modified-Since', 'As `If-None-Match`, by time.'],
  ['If-Unmodified-Since', 'As `If-Match`, by time.'],
].map(([name = '', description = '']) => ({ name, description, schema: { type: 'string' } }));

const download: Parameter = {
  name: 'download',
  schema: { type: 'string' },
  description: '`1`: offered to be saved rather than shown.',
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
  const answers: Record<number, Answer> = {
    200: { description: 'The whole file.', content, headers: mediaHeaders },
    206: {
      description: 'The range that was asked for.',
      content,
      headers: [...mediaHeaders, 'Content-Range'],
    },
    304: { description: 'The file that the client has is the one.', headers: ['ETag'] },
  };
  return {
    path,
    id,
    tag,
    summary,
    answers,
    method: 'get',
    access: 'media token',
    ids: { id: kind },
    query: [download],
    headers: conditions,
    description:
      'Opened by the token of the address alone. Ranges and resumed downloads work; a link stays the same for a while, so that copies can be kept.',
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
  {
    id: 'createAsset',
    method: 'post',
    path: '/v1/assets',
    tag: 'Assets',
    access: 'videos:write',
    summary: 'Upload a picture, clip or sound',
    description:
      'As a part named `file` of a form, or as the body itself. What the file is, its first bytes say.',
    query: [
      {
        name: 'name',
        schema: { type: 'string', minLength: 1, maxLength: 255 },
        description: 'Name of the file, instead of the one that the form says.',
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
    answers: answersWith('Asset', 'The asset.', ['Location']),
    errors: [
      'missing_parameter',
      'unknown_parameter',
      'invalid_parameter',
      'unsupported_media_type',
      'payload_too_large',
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
    answers: answersWith('AssetList', 'Assets of the account, the newest first.'),
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
    answers: answersWith('Asset', 'The asset.'),
    errors: ['invalid_parameter', 'asset_not_found'],
  },
  {
    id: 'deleteAsset',
    method: 'delete',
    path: '/v1/assets/{id}',
    tag: 'Assets',
    access: 'videos:write',
    summary: 'Delete an asset',
    ids: { id: 'asset' },
    answers: {
      200: {
        description: 'The asset is gone.',
        content: { 'application/json': ref('AssetDeleted') },
      },
    },
    errors: ['invalid_parameter', 'asset_not_found'],
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
