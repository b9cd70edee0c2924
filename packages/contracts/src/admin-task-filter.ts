import { GatewayError, isId, lowestIdAt, taskStatuses, type TaskStatus } from '@gateway/domain';

/** Which tasks an operator asks for; what is left out is not asked for. */
export interface AdminTaskFilter {
  readonly id: string | undefined;
  readonly status: TaskStatus | undefined;
  readonly accountId: string | undefined;
  readonly model: string | undefined;
  readonly provider: string | undefined;
  /** Unfinished, and past its deadline, failing at its step, or with a submission nobody knows the outcome of. */
  readonly isStuck: true | undefined;
  readonly createdBefore: Date | undefined;
  /** No task that was created earlier has a higher id. */
  readonly highestId: string | undefined;
}

type Texts = Readonly<Record<string, string | undefined>>;

/** The filters of a list of tasks, on the command line and over HTTP. */
export const adminTaskFilterNames = [
  'id',
  'status',
  'account',
  'model',
  'provider',
  'stuck',
  'older_than',
] as const;
type Name = (typeof adminTaskFilterNames)[number];

const unitsMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
/** Clocks that make ids may differ. */
const clockSkewMs = unitsMs.h;

/**
 * Throws invalid_parameter. A model or provider that there is not is a filter that fits nothing:
 * tasks outlive both.
 */
export function readAdminTaskFilter(query: Texts, now: Date): AdminTaskFilter {
  const read = <Value>(
    name: Name,
    { valueOf, mustBe }: { valueOf: (text: string) => Value | undefined; mustBe: string },
  ): Value | undefined => {
    const text = query[name];
    if (text === undefined) return undefined;
    const value = valueOf(text);
    if (value !== undefined) return value;
    throw new GatewayError(
      'invalid_parameter',
      `${name} must be ${mustBe}; got ${JSON.stringify(text.slice(0, 80))}`,
      { param: name },
    );
  };
  const olderThanMs = read('older_than', fields.older_than);
  const createdBefore =
    olderThanMs === undefined ? undefined : new Date(now.getTime() - olderThanMs);
  return {
    id: read('id', fields.id),
    status: read('status', fields.status),
    accountId: read('account', fields.account),
    model: query['model'],
    provider: query['provider'],
    isStuck: read('stuck', fields.stuck) === 'true' ? true : undefined,
    createdBefore,
    highestId: createdBefore && lowestIdAt('task', createdBefore.getTime() + clockSkewMs),
  };
}

const fields = {
  id: {
    valueOf: (text: string) => (isId('task', text) ? text : undefined),
    mustBe: 'the id of a task, such as video_01h455vb4pex5vsknk084sn02q',
  },
  status: {
    valueOf: (text: string) => taskStatuses.find((status) => status === text),
    mustBe: `one of ${taskStatuses.join(', ')}`,
  },
  account: {
    valueOf: (text: string) => (isId('account', text) ? text : undefined),
    mustBe: 'the id of an account, such as acct_01h455vb4pex5vsknk084sn02q',
  },
  stuck: {
    valueOf: (text: string) => (['true', 'false'] as const).find((flag) => flag === text),
    mustBe: 'true or false',
  },
  older_than: {
    valueOf(text: string): number | undefined {
      const [, amount, unit = 's'] = /^(\d{1,8})([smhd])?$/.exec(text) ?? [];
      const ms = Number(amount) * unitsMs[unit as keyof typeof unitsMs];
      return ms <= longestAgeMs ? ms : undefined;
    },
    mustBe: 'a number of seconds, or a time such as 30m, 12h or 7d, of at most ten years',
  },
} as const;

const longestAgeMs = 3_650 * unitsMs.d;
