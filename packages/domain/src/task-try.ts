/**
 * What became of one try: a route that a task was handed to.
 *
 * | outcome | means |
 * |---|---|
 * | `accepted` | the vendor works on it: the only one that is not an end |
 * | `refused` | the vendor refused this request |
 * | `not_sent`, `busy`, `unavailable` | the vendor is sure to have made nothing: it may be sent again |
 * | `unknown` | nobody knows whether the vendor made anything: it is never sent again |
 * | `succeeded`, `failed`, `cancelled` | how the vendor ended it |
 * | `abandoned` | our deadline passed while the vendor may still be at work |
 */
export const tryOutcomes = [
  'accepted',
  'refused',
  'not_sent',
  'busy',
  'unavailable',
  'unknown',
  'succeeded',
  'failed',
  'cancelled',
  'abandoned',
] as const;

export type TryOutcome = (typeof tryOutcomes)[number];

/** Outcomes after which the same try may be sent again. */
export type PutOff = Extract<TryOutcome, 'not_sent' | 'busy' | 'unavailable'>;
export const putOffs = ['not_sent', 'busy', 'unavailable'] as const satisfies readonly PutOff[];
