import {
  adminRequestSchemas,
  defaultOverlapSeconds,
  rotationSchema,
} from './admin-request-schemas.ts';
import { createBodyReader, type FieldRule } from './body-reader.ts';
import type { Violation } from './violation.ts';

export interface AccountBody {
  readonly name: string;
  readonly quota: number;
}

export interface KeyBody {
  readonly name: string;
  readonly scopes: readonly string[];
  /** Empty: every model. */
  readonly models: readonly string[];
  readonly expiresAt: Date | null;
  readonly requestsPerMinute: number | null;
}

/** What is left out stays as it is. */
export interface AccountPatch {
  readonly name?: string | undefined;
  readonly suspended?: boolean | undefined;
  /** Null: the configuration's default. */
  readonly activeVideosLimit?: number | null | undefined;
}

/** What is left out stays as it is. */
export interface KeyPatch {
  readonly name?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  /** Empty: every model. */
  readonly models?: readonly string[] | undefined;
  /** Null: the configuration's default. */
  readonly requestsPerMinute?: number | null | undefined;
}

export interface TopUpBody {
  readonly quota: number;
  readonly note: string;
}

export interface AdjustmentBody {
  /** Above zero it is given, below zero taken. */
  readonly quota: number;
  readonly note: string;
  /** The task that it corrects. */
  readonly taskId: string | null;
  readonly isDryRun: boolean;
}

/** A provider and its name for a model. */
export interface RouteBody {
  readonly provider: string;
  readonly upstreamModel: string;
}

/**
 * Reads the body that rotates a callback secret, of customers as of operators. Throws one failure
 * that names every violation.
 */
export interface RotationReader {
  /** For how many seconds the secret before goes on signing; the body may be left out. */
  overlapSeconds(body: unknown): number;
}

/** Reads the bodies of `/admin/v1`. Each throws one failure that names every violation. */
export interface AdminRequestReader extends RotationReader {
  account(body: unknown): AccountBody;
  accountPatch(body: unknown): AccountPatch;
  /** A key whose body names no scopes gets these, or the usual ones. */
  key(body: unknown, scopes?: readonly string[]): KeyBody;
  keyPatch(body: unknown): KeyPatch;
  topUp(body: unknown): TopUpBody;
  adjustment(body: unknown): AdjustmentBody;
  route(body: unknown): RouteBody;
}

/** As the schemas let them through. */
interface KeyFields {
  readonly name: string;
  readonly scopes?: readonly string[];
  readonly models?: readonly string[] | null;
  readonly expires_at?: string | null;
  readonly requests_per_minute?: number | null;
}

interface AdjustmentFields {
  readonly quota: number;
  readonly note: string;
  readonly task_id?: string | null;
  readonly dry_run?: boolean;
}

const toAdjustment = ({
  quota,
  note,
  task_id: taskId = null,
  dry_run: isDryRun = false,
}: AdjustmentFields): AdjustmentBody => ({ quota, note, taskId, isDryRun });

interface AccountPatchFields {
  readonly name?: string;
  readonly suspended?: boolean;
  readonly active_videos_limit?: number | null;
}

const toAccountPatch = ({
  name,
  suspended,
  active_videos_limit: activeVideosLimit,
}: AccountPatchFields): AccountPatch => ({ name, suspended, activeVideosLimit });

const toKey = (
  {
    name,
    scopes,
    models,
    expires_at: expiresAt,
    requests_per_minute: requestsPerMinute = null,
  }: KeyFields,
  usualScopes: readonly string[],
): KeyBody => ({
  name,
  scopes: scopes ?? usualScopes,
  models: models ?? [],
  expiresAt: expiresAt == null ? null : new Date(expiresAt),
  requestsPerMinute,
});

const toKeyPatch = ({
  name,
  scopes,
  models,
  requests_per_minute: requestsPerMinute,
}: Partial<KeyFields>): KeyPatch => ({
  name,
  scopes,
  models: models === null ? [] : models,
  requestsPerMinute,
});

interface RouteFields {
  readonly provider: string;
  readonly upstream_model: string;
}

const toRoute = ({ provider, upstream_model: upstreamModel }: RouteFields): RouteBody => ({
  provider,
  upstreamModel,
});

export function createAdminRequestReader({
  scopes,
  usualScopes,
  now,
}: {
  readonly scopes: readonly string[];
  /** Of a key whose body names none. */
  readonly usualScopes: readonly string[];
  readonly now: () => Date;
}): AdminRequestReader {
  const schemas = adminRequestSchemas(scopes);
  const read = {
    account: createBodyReader(schemas.account),
    accountPatch: createBodyReader(schemas.accountPatch, notNothing(schemas.accountPatch)),
    key: createBodyReader(schemas.key, (fields) => expiryViolations(fields, now())),
    keyPatch: createBodyReader(schemas.keyPatch, notNothing(schemas.keyPatch)),
    topUp: createBodyReader(schemas.topUp),
    adjustment: createBodyReader(schemas.adjustment),
    route: createBodyReader(schemas.route),
  };
  return {
    account(body) {
      const asked = read.account(body) as Partial<AccountBody> & { name: string };
      const { name, quota: amount = 0 } = asked;
      return { name, quota: amount };
    },
    accountPatch: (body) => toAccountPatch(read.accountPatch(body) as AccountPatchFields),
    key: (body, unnamed = usualScopes) => toKey(read.key(body) as KeyFields, unnamed),
    keyPatch: (body) => toKeyPatch(read.keyPatch(body) as Partial<KeyFields>),
    topUp(body) {
      const asked = read.topUp(body) as Partial<TopUpBody> & { quota: number };
      const { quota: amount, note = 'top-up' } = asked;
      return { quota: amount, note };
    },
    adjustment: (body) => toAdjustment(read.adjustment(body) as AdjustmentFields),
    route: (body) => toRoute(read.route(body) as RouteFields),
    ...createRotationReader(),
  };
}

/** For the routes of customers, which read no other body of the operator's. */
export function createRotationReader(): RotationReader {
  const read = createBodyReader(rotationSchema);
  return {
    overlapSeconds(body) {
      if (body === undefined) return defaultOverlapSeconds;
      const { overlap_seconds: seconds } = read(body) as { overlap_seconds?: number };
      return seconds ?? defaultOverlapSeconds;
    },
  };
}

/** A change without a field: said here, for a document that once required one may not narrow its schema. */
const notNothing =
  ({ properties }: { readonly properties: object }): FieldRule =>
  (fields) =>
    Object.keys(fields).length > 0
      ? []
      : [
          {
            code: 'invalid_parameter',
            param: null,
            message: `the body must be an object with at least one of ${Object.keys(properties).join(', ')}; got {}`,
          },
        ];

/**
 * A time that the pattern lets through may still be none (the 31st of February), or lie behind us.
 */
function expiryViolations(
  { expires_at: text }: Readonly<Record<string, unknown>>,
  now: Date,
): readonly Violation[] {
  if (typeof text !== 'string') return [];
  const at = new Date(text);
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`);
  const isDay = !Number.isNaN(day.getTime()) && text.startsWith(day.toISOString().slice(0, 10));
  if (isDay && at > now) return [];
  return [
    {
      code: 'invalid_parameter',
      param: 'expires_at',
      message: `expires_at must be a time in the future; got ${JSON.stringify(text.slice(0, 80))}`,
    },
  ];
}
