import type { Task, TaskFilter } from '@gateway/client';

export type TaskStatus = Task['status'];
export type FailureCode = NonNullable<Task['error']>['code'];

/** What the gateway is asked for, and what is looked for in what it has found. */
export interface VideoFilter {
  readonly asked: TaskFilter;
  readonly sifted: Sifted;
}

export interface Sifted {
  readonly error?: FailureCode;
  readonly requestId?: string;
}

export const statuses: readonly TaskStatus[] = [
  'queued',
  'running',
  'succeeded',
  'failed',
  'expired',
  'cancelled',
];

/** With which status a video ends for each reason. */
const endOf: Readonly<Record<FailureCode, TaskStatus>> = {
  invalid_request: 'failed',
  content_policy: 'failed',
  no_output: 'failed',
  output_rejected: 'failed',
  output_unavailable: 'failed',
  submission_unknown: 'failed',
  vendor_error: 'failed',
  vendor_account: 'failed',
  vendor_removed: 'failed',
  expired: 'expired',
  cancelled: 'cancelled',
};
export const failureCodes = Object.keys(endOf) as readonly FailureCode[];

export const ages = [
  ['5m', '5 minutes'],
  ['1h', '1 hour'],
  ['12h', '12 hours'],
  ['7d', '7 days'],
] as const;

/** The fields of an address; each is the name of a parameter. */
export type Fields = Readonly<Record<(typeof fieldNames)[number], string>>;
export const fieldNames = [
  'q',
  'status',
  'error',
  'older_than',
  'model',
  'provider',
  'account',
  'stuck',
] as const;

export const fieldsOf = (search: URLSearchParams): Fields =>
  Object.fromEntries(
    fieldNames.map((name) => [name, search.get(name)?.trim() ?? '']),
  ) as unknown as Fields;

/** The fields as an address holds them: what is empty is not in it. */
export const addressOf = (fields: Fields): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));

export const isFiltered = (fields: Fields): boolean => Object.keys(addressOf(fields)).length > 0;

const videoId = /^video_[0-9a-z]{26}$/;
export const accountId = /^acct_[0-9a-z]{26}$/;

/** The words of the search are an id: of a video, of an account, or else of a request. */
function named(q: string): { readonly asked: TaskFilter; readonly requestId?: string } {
  if (q === '') return { asked: {} };
  if (videoId.test(q)) return { asked: { id: q } };
  if (accountId.test(q)) return { asked: { account: q } };
  return { asked: {}, requestId: q };
}

/** An error says how a video has ended, unless somebody says otherwise. */
const statusOf = (fields: Fields, error: FailureCode | undefined): TaskStatus | undefined =>
  statuses.find((each) => each === fields.status) ??
  (error === undefined ? undefined : endOf[error]);

/** The filter that these fields say; what cannot be one is left out. */
export function filterOf(fields: Fields): VideoFilter {
  const { asked, requestId } = named(fields.q);
  const error = failureCodes.find((code) => code === fields.error);
  const status = statusOf(fields, error);
  return {
    asked: {
      ...(status !== undefined && { status }),
      ...(/^\d{1,8}[smhd]?$/.test(fields.older_than) && { older_than: fields.older_than }),
      ...(fields.model !== '' && { model: fields.model }),
      ...(fields.provider !== '' && { provider: fields.provider }),
      ...(accountId.test(fields.account) && { account: fields.account }),
      ...(fields.stuck === 'true' && { stuck: 'true' as const }),
      ...asked,
    },
    sifted: {
      ...(error !== undefined && { error }),
      ...(requestId !== undefined && { requestId }),
    },
  };
}

/**
 * Whether a list with this filter may show a video. Of its age, and of whether it is stuck, only the
 * gateway knows.
 */
export function taskMayFit({ asked, sifted }: VideoFilter, task: Task): boolean {
  const { status, model, provider, account, id } = asked;
  const pairs = [
    [status, task.status],
    [model, task.model],
    [provider, task.provider],
    [account, task.account_id],
    [id, task.id],
  ];
  return (
    pairs.every(([wanted, is]) => wanted === undefined || wanted === is) &&
    (taskFits(sifted)?.(task) ?? true)
  );
}

/** Whether a video is one of those that are looked for; undefined: all are. */
export function taskFits({ error, requestId }: Sifted): ((task: Task) => boolean) | undefined {
  if (error === undefined && requestId === undefined) return undefined;
  return (task) =>
    (error === undefined || task.error?.code === error) &&
    (requestId === undefined || task.request_id.startsWith(requestId));
}
