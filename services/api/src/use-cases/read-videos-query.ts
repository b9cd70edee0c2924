import { requestError, type Violation } from '@gateway/contracts';
import { lowestIdAt, type TaskStatus } from '@gateway/domain';
import type { TaskSearch } from '@gateway/store';
import { fieldProblem, idField, shortened, statusField, type QueryField } from './query-field.ts';
import { defaultLimit, limitField, type PageQuery } from './read-page-query.ts';

/** What a customer asks for, as it came: a parameter that stands twice is a list. */
export type VideosQuery = Readonly<Record<string, unknown>>;

/** A page of tasks, and how it is shown. */
export interface VideosRequest {
  readonly question: VideosQuestion;
  /** What no index knows; undefined when nothing of it is asked for. */
  readonly search: TaskSearch | undefined;
  /** Whether each task is shown with what was asked for. */
  readonly withRequest: boolean;
}

export interface VideosQuestion extends PageQuery<string> {
  readonly status: TaskStatus | undefined;
  readonly model: string | undefined;
  readonly createdAfter: Date | undefined;
  readonly createdBefore: Date | undefined;
  readonly lowestId: string | undefined;
  readonly highestId: string | undefined;
}

const hourMs = 3_600_000;
/**
 * A task's id may be a day older than the task: an Idempotency-Key keeps it for a retry. Clocks may
 * differ besides.
 */
const idBeforeCreationMs = 25 * hourMs;
const idAfterCreationMs = hourMs;

const time = 'a time as unix seconds or as RFC 3339, such as 2026-01-31T12:00:00Z';
const taskIds = idField('task', 'the id of a video task');
/** What a page may include beside the task. */
export const includeField: QueryField<'request'> = {
  read: (text) => (text === 'request' ? text : undefined),
  mustBe: 'request',
};
const mostWords = 8;
const mostOfQuery = 200;

const fields = {
  limit: limitField(),
  after: taskIds,
  before: taskIds,
  status: statusField,
  model: {
    read: (text: string) => (/^[^\p{Cc}\p{Surrogate}]{1,200}$/u.test(text) ? text : undefined),
    mustBe: 'the name of a model',
  },
  created_after: { read: readTime, mustBe: time },
  created_before: { read: readTime, mustBe: time },
  key: idField('key', 'the id of an API key'),
  id_prefix: {
    read: (text: string) => (/^video_[0-9a-hjkmnp-tv-z]{0,26}$/.test(text) ? text : undefined),
    mustBe: 'the beginning of the id of a video task, such as video_01h455',
  },
  q: { read: readWords, mustBe: `one to ${mostWords} words, of at most ${mostOfQuery} characters` },
  include: includeField,
} as const satisfies Readonly<Record<string, QueryField<unknown>>>;

type Field = keyof typeof fields;
type ValueOf<Name extends Field> = Exclude<ReturnType<(typeof fields)[Name]['read']>, undefined>;

/** Sent by clients that ask for beta behaviour everywhere; means nothing here. */
const ignored = new Set(['beta']);
const known = [...Object.keys(fields), 'metadata[…]'].join(', ');
const idLength = 'video_'.length + 26;
const metadataName = /^metadata\[([^\]]{1,64})\]$/;
const mostMetadata = 8;

/**
 * Limit, cursors and filters of a page of tasks. Throws every violation: unknown_parameter,
 * invalid_parameter.
 */
export function readVideosQuery(query: VideosQuery): VideosRequest {
  const violations: Violation[] = Object.keys(query)
    .filter(
      (name) => !Object.hasOwn(fields, name) && !ignored.has(name) && !metadataName.test(name),
    )
    .map((name) => ({
      code: 'unknown_parameter',
      param: shortened(name),
      message: `${shortened(name)} is not a known query parameter; known parameters: ${known}`,
    }));
  const read = <Name extends Field>(name: Name): ValueOf<Name> | undefined => {
    const text = query[name];
    if (text === undefined || text === '') return undefined;
    const value = typeof text === 'string' ? fields[name].read(text) : undefined;
    if (value === undefined) {
      violations.push({ code: 'invalid_parameter', param: name, message: messageFor(name, text) });
    }
    return value as ValueOf<Name> | undefined;
  };
  const createdAfter = read('created_after');
  const createdBefore = read('created_before');
  const question: VideosQuestion = {
    limit: read('limit') ?? defaultLimit,
    after: read('after'),
    before: read('before'),
    status: read('status'),
    model: read('model'),
    createdAfter,
    createdBefore,
    ...idBounds(read('id_prefix'), { createdAfter, createdBefore }),
  };
  const search = {
    keyId: read('key'),
    words: read('q'),
    metadata: readMetadata(query, violations),
  };
  const withRequest = read('include') !== undefined;
  const [first, ...rest] = violations;
  if (first !== undefined) throw requestError([first, ...rest]);
  const searches = Object.values(search).some((part) => part !== undefined);
  return { question, search: searches ? search : undefined, withRequest };
}

/** Of a period, and of a beginning: both let the index skip the rest. */
function idBounds(
  prefix: string | undefined,
  { createdAfter, createdBefore }: Pick<VideosQuestion, 'createdAfter' | 'createdBefore'>,
): Pick<VideosQuestion, 'lowestId' | 'highestId'> {
  const lowest = [
    prefix,
    createdAfter && lowestIdAt('task', createdAfter.getTime() - idBeforeCreationMs),
  ];
  const highest = [
    // The last id with this beginning.
    prefix?.padEnd(idLength, 'z'),
    createdBefore && lowestIdAt('task', createdBefore.getTime() + idAfterCreationMs),
  ];
  const given = (ids: readonly (string | undefined)[]): string[] =>
    ids.filter((id) => id !== undefined).sort();
  return { lowestId: given(lowest).at(-1), highestId: given(highest)[0] };
}

/** Names and values of `metadata[name]=value`; undefined for none. */
function readMetadata(
  query: VideosQuery,
  violations: Violation[],
): Readonly<Record<string, string>> | undefined {
  const asked = Object.entries(query).flatMap(([name, value]) => {
    const key = metadataName.exec(name)?.[1];
    return key === undefined ? [] : [{ name, key, value }];
  });
  for (const { name, value } of asked) {
    if (typeof value !== 'string') {
      violations.push({
        code: 'invalid_parameter',
        param: name,
        message: `${name} may appear only once`,
      });
    }
  }
  if (asked.length > mostMetadata) {
    violations.push({
      code: 'invalid_parameter',
      param: 'metadata',
      message: `at most ${mostMetadata} metadata filters may be sent at once; got ${asked.length}`,
    });
  }
  return asked.length === 0
    ? undefined
    : Object.fromEntries(asked.map(({ key, value }) => [key, String(value)]));
}

function readWords(text: string): readonly string[] | undefined {
  const words = text.split(/\s+/u).filter((word) => word !== '');
  const isGood =
    words.length > 0 &&
    words.length <= mostWords &&
    text.length <= mostOfQuery &&
    /^[^\p{Cc}\p{Surrogate}]+$/u.test(text);
  return isGood ? words : undefined;
}

const messageFor = (name: Field, sent: unknown): string =>
  typeof sent === 'string'
    ? fieldProblem(name, sent, fields[name])
    : `${name} may appear only once`;

const latestSeconds = 253_402_300_799;
const rfc3339 = /^(\d{4}-\d{2}-\d{2})[Tt ]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/;

/** Unix seconds, or RFC 3339 with its offset. */
function readTime(text: string): Date | undefined {
  if (/^\d{1,12}$/.test(text)) {
    return Number(text) <= latestSeconds ? new Date(Number(text) * 1_000) : undefined;
  }
  // A "+" of the offset that was not percent-encoded arrives as a space.
  const written = text.replace(/ (\d{2}:\d{2})$/, '+$1');
  const day = rfc3339.exec(written)?.[1];
  if (day === undefined || !isDay(day)) return undefined;
  const moment = new Date(written.toUpperCase().replace(' ', 'T'));
  return Number.isNaN(moment.getTime()) ? undefined : moment;
}

/** Some days exist only on paper, and Date takes them for the next month's. */
function isDay(day: string): boolean {
  const moment = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(day);
}
