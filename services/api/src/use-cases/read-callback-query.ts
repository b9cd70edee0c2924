import { GatewayError, isId } from '@gateway/domain';

/** What a customer asks for, as text; all of it may be left out. */
export interface AttemptsQuery {
  readonly limit?: string | undefined;
  readonly after?: string | undefined;
  readonly before?: string | undefined;
}

export interface AttemptsCursors {
  readonly limit: number;
  readonly after: string | undefined;
  readonly before: string | undefined;
}

const defaultLimit = 20;
const mostOnOnePage = 100;
const defaultOverlapSeconds = 86_400;
const longestOverlapSeconds = 604_800;

/** Limit and cursors of a page of the delivery log. Throws invalid_parameter. */
export function readAttemptsQuery({ limit = String(defaultLimit), after, before }: AttemptsQuery): AttemptsCursors {
  if (!/^[1-9]\d{0,2}$/.test(limit) || Number(limit) > mostOnOnePage) {
    throw new GatewayError('invalid_parameter', `limit must be an integer between 1 and ${mostOnOnePage}; got ${JSON.stringify(limit.slice(0, 80))}`, { param: 'limit' });
  }
  return { limit: Number(limit), after: readCursor('after', after), before: readCursor('before', before) };
}

function readCursor(param: string, id: string | undefined): string | undefined {
  if (id === undefined || isId('attempt', id)) return id;
  throw new GatewayError('invalid_parameter', `${param} must be the id of an attempt, such as attempt_01h455vb4pex5vsknk084sn02q; got ${JSON.stringify(id.slice(0, 80))}`, { param });
}

const isOverlap = (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= longestOverlapSeconds;

/** For how many seconds the secret before a rotation goes on signing, from the body of the request, which may be left out. */
export function readOverlapSeconds(body: unknown): number {
  if (body === undefined) return defaultOverlapSeconds;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw new GatewayError('invalid_parameter', 'the body must be a JSON object, such as {"overlap_seconds": 86400}, or left out');
  const { overlap_seconds: overlapSeconds = defaultOverlapSeconds, ...others } = body as Readonly<Record<string, unknown>>;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new GatewayError('unknown_parameter', `${JSON.stringify(unknown.slice(0, 80))} is not known here; the only field is overlap_seconds`, { param: unknown.slice(0, 80) });
  if (isOverlap(overlapSeconds)) return overlapSeconds;
  throw new GatewayError('invalid_parameter', `overlap_seconds must be an integer between 0 and ${longestOverlapSeconds}; got ${JSON.stringify(overlapSeconds).slice(0, 80)}`, { param: 'overlap_seconds' });
}
