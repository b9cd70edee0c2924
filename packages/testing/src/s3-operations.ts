import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { refuse, type S3Bucket, type S3Object } from './s3-bucket.ts';

export type S3Operation =
  | 'HeadBucket'
  | 'ListObjectsV2'
  | 'ListMultipartUploads'
  | 'PutObject'
  | 'GetObject'
  | 'HeadObject'
  | 'DeleteObject'
  | 'CreateMultipartUpload'
  | 'UploadPart'
  | 'CompleteMultipartUpload'
  | 'AbortMultipartUpload'
  | 'Unknown';

export interface S3Request {
  readonly method: string;
  /** Empty for the bucket itself. */
  readonly key: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface S3Response {
  readonly status: number;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: Buffer;
}

/** By method, by whether there is a key, and by the parameter that tells one from another. */
const table: readonly (readonly [
  method: string,
  hasKey: boolean,
  parameter: string | undefined,
  operation: S3Operation,
])[] = [
  ['HEAD', false, undefined, 'HeadBucket'],
  ['GET', false, 'list-type', 'ListObjectsV2'],
  ['GET', false, 'uploads', 'ListMultipartUploads'],
  ['PUT', true, 'partNumber', 'UploadPart'],
  ['PUT', true, undefined, 'PutObject'],
  ['POST', true, 'uploads', 'CreateMultipartUpload'],
  ['POST', true, 'uploadId', 'CompleteMultipartUpload'],
  ['DELETE', true, 'uploadId', 'AbortMultipartUpload'],
  ['DELETE', true, undefined, 'DeleteObject'],
  ['GET', true, undefined, 'GetObject'],
  ['HEAD', true, undefined, 'HeadObject'],
];

export function operationOf({ method, key, query }: S3Request): S3Operation {
  return (
    table.find(
      ([verb, hasKey, parameter]) =>
        verb === method &&
        hasKey === (key !== '') &&
        (parameter === undefined || query.has(parameter)),
    )?.[3] ?? 'Unknown'
  );
}

const xml = (status: number, content: string): S3Response => ({
  status,
  headers: { 'content-type': 'application/xml' },
  body: Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>${content}`),
});
const ranged = /^bytes=(?:(\d+)-(\d*)|-(\d+))$/;

export const operations: Readonly<
  Record<S3Operation, (bucket: S3Bucket, request: S3Request) => S3Response>
> = {
  HeadBucket: () => ({ status: 200 }),
  ListObjectsV2: list,
  ListMultipartUploads: listUploads,
  PutObject(bucket, { key, body, headers }) {
    if (headers['if-none-match'] === '*' && bucket.objects.has(key)) {
      refuse(412, 'PreconditionFailed');
    }
    return { status: 200, headers: { etag: bucket.put(key, body).etag } };
  },
  GetObject: (bucket, request) => get(find(bucket, request), request.headers.range),
  HeadObject(bucket, request) {
    const { status, headers, body } = get(find(bucket, request), request.headers.range);
    return { status, headers: { ...headers, 'content-length': body?.length ?? 0 } };
  },
  DeleteObject(bucket, { key }) {
    bucket.objects.delete(key);
    return { status: 204 };
  },
  CreateMultipartUpload: (bucket, { key }) =>
    xml(
      200,
      `<InitiateMultipartUploadResult><Bucket>media</Bucket><Key>${key}</Key><UploadId>${bucket.startUpload(key)}</UploadId></InitiateMultipartUploadResult>`,
    ),
  UploadPart: (bucket, { query, body }) => ({
    status: 200,
    headers: {
      etag: bucket.putPart(query.get('uploadId') ?? '', Number(query.get('partNumber')), body).etag,
    },
  }),
  CompleteMultipartUpload(bucket, { key, query, body }) {
    const parts = [...body.toString().matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, part = '']) => ({
      number: Number(/<PartNumber>(\d+)</.exec(part)?.[1]),
      etag: (/<ETag>(.*?)</.exec(part)?.[1] ?? '').replaceAll('&quot;', '"'),
    }));
    return xml(
      200,
      `<CompleteMultipartUploadResult><Key>${key}</Key><ETag>${bucket.complete(query.get('uploadId') ?? '', parts).etag}</ETag></CompleteMultipartUploadResult>`,
    );
  },
  AbortMultipartUpload(bucket, { query }) {
    bucket.abort(query.get('uploadId') ?? '');
    return { status: 204 };
  },
  Unknown: () => refuse(405, 'MethodNotAllowed'),
};

function find(bucket: S3Bucket, { key, headers }: S3Request): S3Object {
  const object = bucket.find(key);
  const wanted = headers['if-match'];
  return wanted === undefined || wanted === '*' || wanted === object.etag
    ? object
    : refuse(412, 'PreconditionFailed');
}

/** One range as S3 understands it; several, or something else, is the whole object. */
function get({ bytes, etag, modifiedAt }: S3Object, range: string | undefined): S3Response {
  const headers = {
    etag,
    'last-modified': modifiedAt.toUTCString(),
    'accept-ranges': 'bytes',
    'content-type': 'application/octet-stream',
  };
  const [, first, last = '', suffix] = ranged.exec(range ?? '') ?? [];
  if (first === undefined && suffix === undefined) return { status: 200, headers, body: bytes };
  const start = first === undefined ? Math.max(0, bytes.length - Number(suffix)) : Number(first);
  const end =
    first === undefined || last === ''
      ? bytes.length - 1
      : Math.min(Number(last), bytes.length - 1);
  if (start > end) refuse(416, 'InvalidRange');
  return {
    status: 206,
    headers: { ...headers, 'content-range': `bytes ${start}-${end}/${bytes.length}` },
    body: bytes.subarray(start, end + 1),
  };
}

const pageSize = 1_000;

function list(bucket: S3Bucket, { query }: S3Request): S3Response {
  const prefix = query.get('prefix') ?? '';
  const after = query.get('continuation-token') ?? '';
  const most = Math.min(Number(query.get('max-keys') ?? pageSize), pageSize);
  const keys = [...bucket.objects.keys()]
    .filter((key) => key.startsWith(prefix) && key > after)
    .sort();
  const page = keys.slice(0, most);
  const contents = page.map((key) => {
    const { bytes, etag, modifiedAt } = bucket.find(key);
    return `<Contents><Key>${key}</Key><LastModified>${modifiedAt.toISOString()}</LastModified><ETag>${etag}</ETag><Size>${bytes.length}</Size></Contents>`;
  });
  const next =
    keys.length > page.length
      ? `<IsTruncated>true</IsTruncated><NextContinuationToken>${page.at(-1) ?? ''}</NextContinuationToken>`
      : '<IsTruncated>false</IsTruncated>';
  return xml(
    200,
    `<ListBucketResult>${next}<KeyCount>${page.length}</KeyCount>${contents.join('')}</ListBucketResult>`,
  );
}

function listUploads(bucket: S3Bucket, { query }: S3Request): S3Response {
  const prefix = query.get('prefix') ?? '';
  const uploads = [...bucket.uploads]
    .filter(([, { key }]) => key.startsWith(prefix))
    .map(
      ([uploadId, { key, startedAt }]) =>
        `<Upload><Key>${key}</Key><UploadId>${uploadId}</UploadId><Initiated>${startedAt.toISOString()}</Initiated></Upload>`,
    );
  return xml(
    200,
    `<ListMultipartUploadsResult><IsTruncated>false</IsTruncated>${uploads.join('')}</ListMultipartUploadsResult>`,
  );
}
