/** Settings of the text lane, and of what is kept for it. */
export interface TextSettings {
  TEXT_BODY_LIMIT_BYTES: number;
  TEXT_BODY_TIMEOUT_MS: number;
  TEXT_PING_MS: number;
  TEXT_QUEUE_MS: number;
  TEXT_LEASE_SECONDS: number;
  TEXT_LEASE_IDLE_SECONDS: number;
  USAGE_SPOOL_DIR?: string;
  RESPONSES_RETENTION_HOURS: number;
  RESPONSES_BYTES_PER_ACCOUNT: number;
  REQUIRE_VERSION_HEADER: boolean;
}

/** As config.ts has them. */
export const textSettingSchemas = {
  TEXT_BODY_LIMIT_BYTES: {
    type: 'integer',
    minimum: 1024,
    default: 33_554_432,
    description: 'Largest body of the text routes',
  },
  TEXT_BODY_TIMEOUT_MS: {
    type: 'integer',
    minimum: 100,
    maximum: 300_000,
    default: 60_000,
    description:
      'How long a body on the text routes may take to arrive in total; the request holds a slot of its key meanwhile',
  },
  TEXT_PING_MS: {
    type: 'integer',
    minimum: 100,
    default: 15_000,
    description: 'How long a text stream may be silent before a ping is sent',
  },
  TEXT_QUEUE_MS: {
    type: 'integer',
    minimum: 0,
    maximum: 60_000,
    default: 10_000,
    description: 'How long a text request may wait for a slot of its provider, in turn',
  },
  TEXT_LEASE_SECONDS: {
    type: 'integer',
    minimum: 1,
    maximum: 60,
    default: 5,
    description:
      'Seconds of its spending on text for which a replica holds quota of each active account',
  },
  TEXT_LEASE_IDLE_SECONDS: {
    type: 'integer',
    minimum: 1,
    maximum: 3600,
    default: 10,
    description:
      'A replica gives the quota of an account back that has asked for no text this long, or thirty times as long where that is next to nothing of what the account has',
  },
  USAGE_SPOOL_DIR: {
    type: 'string',
    nullable: true,
    minLength: 1,
    description:
      'Folder that outlives the process, for usage of text that waited a second because the database was away; it is saved once the database is back, by any api with that folder. Replicas may share it. Without it such usage is lost when the api ends meanwhile',
  },
  RESPONSES_RETENTION_HOURS: {
    type: 'integer',
    minimum: 0,
    maximum: 8_760,
    default: 24,
    description:
      'How long finished responses are kept for their account, with the prompts and answers in them; 0 keeps none and removes those that were kept',
  },
  RESPONSES_BYTES_PER_ACCOUNT: {
    type: 'integer',
    minimum: 1_048_576,
    default: 268_435_456,
    description:
      'Bytes of kept responses that one account may have; beyond them its oldest are removed',
  },
  REQUIRE_VERSION_HEADER: {
    type: 'boolean',
    default: true,
    description: 'Whether the messages routes refuse requests without anthropic-version',
  },
} as const;
