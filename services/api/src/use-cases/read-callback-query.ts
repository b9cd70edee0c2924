import { GatewayError } from '@gateway/domain';

const defaultOverlapSeconds = 86_400;
const longestOverlapSeconds = 604_800;

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
