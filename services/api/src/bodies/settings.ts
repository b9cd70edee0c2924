/** What bounds the JSON bodies that a replica has under way. */
export interface BodySettings {
  VIDEO_BODY_LIMIT_BYTES: number;
  BODY_TIMEOUT_MS: number;
  BODY_BYTES: number;
  BODY_BYTES_PER_ACCOUNT: number;
  BODY_BYTES_PER_SECOND_PER_ACCOUNT: number;
  BODY_THREADS: number;
  BODY_THREAD_HEAP_MB: number;
}

export const bodySettingSchemas = {
  VIDEO_BODY_LIMIT_BYTES: {
    type: 'integer',
    minimum: 1024,
    default: 67_108_864,
    description: 'Largest body of POST /v1/videos',
  },
  BODY_TIMEOUT_MS: {
    type: 'integer',
    minimum: 100,
    maximum: 300_000,
    default: 120_000,
    description:
      'How long a JSON body may take to arrive in total, on every route but those of text and uploads; the request holds a slot of its key meanwhile',
  },
  BODY_BYTES: {
    type: 'integer',
    minimum: 1_048_576,
    default: 201_326_592,
    description:
      'Bytes of JSON bodies that one replica has under way at once; more are refused with 503. A body that is alone is always taken',
  },
  BODY_BYTES_PER_ACCOUNT: {
    type: 'integer',
    minimum: 1_048_576,
    default: 100_663_296,
    description:
      'The same for one account, whose further bodies are refused with 429; keep it below BODY_BYTES, or one account can fill a replica',
  },
  BODY_BYTES_PER_SECOND_PER_ACCOUNT: {
    type: 'integer',
    minimum: 1_048_576,
    default: 33_554_432,
    description:
      'How many bytes a second of the large JSON bodies of one account one replica reads; what comes faster waits in the socket',
  },
  BODY_THREADS: {
    type: 'integer',
    minimum: 2,
    maximum: 16,
    default: 2,
    description:
      'Threads that read large bodies; no account has all of them, and each takes up to BODY_THREAD_HEAP_MB of memory while it works',
  },
  BODY_THREAD_HEAP_MB: {
    type: 'integer',
    minimum: 64,
    maximum: 4096,
    default: 224,
    description: 'Memory that reading one body may take; one that takes more is refused with 413',
  },
} as const;
