import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { operationOf, operations, type S3Operation, type S3Request } from './s3-operations.ts';
import { createS3Bucket, refuse, S3Refusal, type S3Bucket } from './s3-bucket.ts';

/**
 * What the server does wrong, until it is taken back. An operation that is not named is not
 * concerned.
 */
export interface S3Faults {
  /** The error it responds with. */
  refuse?: {
    readonly operations: readonly S3Operation[];
    readonly status: number;
    readonly code: string;
  };
  /** Waits before it responds. */
  delayMs?: number;
  /** Bodies of objects end after so many bytes, with their socket. */
  cutAfterBytes?: number;
  /** Bodies of objects stop after so many bytes, and the socket stays. */
  stallAfterBytes?: number;
  /** Gets no response at all. */
  silent?: readonly S3Operation[];
  /** The header Range is taken for a header that it does not know. */
  ignoreRange?: boolean;
}

export interface TestS3 {
  readonly url: string;
  readonly bucketName: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly bucket: S3Bucket;
  /** Every request, in the order of arrival. */
  readonly requests: {
    readonly operation: S3Operation;
    readonly key: string;
    readonly range: string | undefined;
    readonly ifMatch: string | undefined;
  }[];
  faults: S3Faults;
  /** The settings of a service that keeps its media here. */
  readonly settings: Readonly<Record<string, string>>;
  /** Connections that are in the middle of a response. */
  busySockets(): number;
  close(): Promise<void>;
}

/**
 * A server on loopback that speaks S3 as far as a media storage needs it, and is as strict as S3
 * about it: signed requests only, hashes that fit, parts of the smallest size, one range. It does
 * not check the signature itself.
 */
export async function openTestS3({
  now = () => new Date(),
}: { now?: () => Date } = {}): Promise<TestS3> {
  const bucket = createS3Bucket(now);
  const busy = new Set<Socket>();
  const identity = {
    bucketName: 'media',
    accessKeyId: 'AKIATESTTESTTESTTEST',
    secretAccessKey: 'not-so-secret-key-of-the-test-server',
  };
  const server = createServer((request, response) => {
    busy.add(request.socket);
    response.once('close', () => busy.delete(request.socket));
    respond(request, response).catch((thrown: unknown) => {
      sendError(response, thrown);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const test: TestS3 = {
    url,
    ...identity,
    bucket,
    requests: [],
    faults: {},
    settings: {
      MEDIA_STORAGE: 's3',
      S3_ENDPOINT: url,
      S3_BUCKET: identity.bucketName,
      S3_FORCE_PATH_STYLE: 'true',
      S3_ACCESS_KEY_ID: identity.accessKeyId,
      S3_SECRET_ACCESS_KEY: identity.secretAccessKey,
    },
    busySockets: () => busy.size,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
  return test;

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { bucketName, ...named } = await read(request);
    const operation = operationOf(named);
    const { faults } = test;
    test.requests.push({
      operation,
      key: named.key,
      range: request.headers.range,
      ifMatch: request.headers['if-match'],
    });
    if (await isFaulty(operation, faults)) return;
    checkSigned(named, identity.accessKeyId);
    if (bucketName !== identity.bucketName) refuse(404, 'NoSuchBucket');
    const {
      status,
      headers = {},
      body = Buffer.alloc(0),
    } = operations[operation](bucket, faults.ignoreRange === true ? withoutRange(named) : named);
    response.writeHead(status, {
      'x-amz-request-id': 'test',
      ...(status === 204 ? {} : { 'content-length': body.length }),
      ...headers,
    });
    if (operation === 'GetObject') sendBody(response, body, faults);
    else response.end(named.method === 'HEAD' ? undefined : body);
  }
}

async function read(
  request: IncomingMessage,
): Promise<S3Request & { readonly bucketName: string | undefined }> {
  const address = new URL(request.url ?? '/', 'http://localhost');
  const [bucketName, ...rest] = decodeURIComponent(address.pathname).slice(1).split('/');
  return {
    bucketName,
    method: request.method ?? '',
    key: rest.join('/'),
    query: address.searchParams,
    headers: request.headers,
    body: await bodyOf(request),
  };
}

/** Whether there is no response at all; throws when the response is an error. */
async function isFaulty(
  operation: S3Operation,
  { delayMs, silent, refuse: refused }: S3Faults,
): Promise<boolean> {
  if (delayMs !== undefined) {
    await new Promise((resolve) => {
      setTimeout(resolve, delayMs);
    });
  }
  if (refused?.operations.includes(operation) === true) refuse(refused.status, refused.code);
  return silent?.includes(operation) === true;
}

const withoutRange = (request: S3Request): S3Request => ({
  ...request,
  headers: { ...request.headers, range: undefined },
});

function sendBody(
  response: ServerResponse,
  body: Buffer,
  { cutAfterBytes, stallAfterBytes }: S3Faults,
): void {
  if (cutAfterBytes !== undefined) {
    response.write(body.subarray(0, cutAfterBytes), () => response.destroy());
  } else if (stallAfterBytes !== undefined) response.write(body.subarray(0, stallAfterBytes));
  else response.end(body);
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/**
 * Signature Version 4 in the headers, and content that is what was signed: chunk framing taken for
 * content is found here.
 */
function checkSigned({ headers, body, method }: S3Request, accessKeyId: string): void {
  const { authorization = '' } = headers;
  if (
    !/^AWS4-HMAC-SHA256 Credential=[^ ]+, SignedHeaders=[a-z0-9;-]+, Signature=[0-9a-f]{64}$/.test(
      authorization,
    )
  ) {
    refuse(403, 'AccessDenied');
  }
  if (!authorization.includes(`Credential=${accessKeyId}/`)) refuse(403, 'InvalidAccessKeyId');
  if (method === 'PUT' && headers['content-length'] === undefined) {
    refuse(411, 'MissingContentLength');
  }
  if (String(headers['content-encoding']).includes('aws-chunked')) refuse(501, 'NotImplemented');
  checkHash(String(headers['x-amz-content-sha256']), body);
}

function checkHash(declared: string, body: Buffer): void {
  if (declared === 'UNSIGNED-PAYLOAD') return;
  if (declared !== createHash('sha256').update(body).digest('hex')) {
    refuse(400, 'XAmzContentSHA256Mismatch');
  }
}

function sendError(response: ServerResponse, thrown: unknown): void {
  if (!(thrown instanceof S3Refusal) || response.headersSent) {
    response.destroy();
    return;
  }
  const body = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${thrown.code}</Code><Message>${thrown.code}</Message><RequestId>test</RequestId></Error>`;
  const isBodiless = response.req.method === 'HEAD' || thrown.status === 304;
  response.writeHead(thrown.status, {
    'content-type': 'application/xml',
    'content-length': isBodiless ? 0 : Buffer.byteLength(body),
  });
  response.end(isBodiless ? undefined : body);
}
