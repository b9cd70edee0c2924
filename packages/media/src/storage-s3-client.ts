import { S3Client } from '@aws-sdk/client-s3';

export interface S3Address {
  readonly region: string;
  /** Of a server that speaks the protocol of S3; Amazon's own when left out. */
  readonly endpoint?: string;
  /** Bucket in the path instead of the host name; most servers other than Amazon's need it. */
  readonly forcePathStyle?: boolean;
  /** Found as the SDK does (environment, web identity, instance) when left out. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

export interface ConnectionBounds {
  readonly maxSockets: number;
  /** From the request to the head of its response. */
  readonly responseMs: number;
  /** Without a byte in either direction. */
  readonly silenceMs: number;
}

const connectTimeoutMs = 5_000;

const silent = (): void => undefined;

/** A client with connections of its own; what it throws is for its caller to log. */
export function openS3Client(
  { region, endpoint, forcePathStyle = false, credentials }: S3Address,
  { maxSockets, responseMs, silenceMs }: ConnectionBounds,
): S3Client {
  return new S3Client({
    region,
    forcePathStyle,
    ...(endpoint !== undefined && { endpoint }),
    ...(credentials !== undefined && { credentials }),
    // Servers other than Amazon's do not all know the newer checksums, and take their framing for
    // content.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: connectTimeoutMs,
      requestTimeout: responseMs,
      throwOnRequestTimeout: true,
      socketTimeout: silenceMs,
      httpAgent: { keepAlive: true, maxSockets },
      httpsAgent: { keepAlive: true, maxSockets },
    },
    // what fails is thrown, and logged once by who knows what for
    logger: { trace: silent, debug: silent, info: silent, warn: silent, error: silent },
  });
}
