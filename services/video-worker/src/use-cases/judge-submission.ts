import type { SubmitOutcome } from '@gateway/video-providers';

/** What a submission says about the vendor, whoever's task it was. */
export type Evidence =
  | 'serves'
  /** It cannot be reached, which no request can provoke. */
  | 'away'
  /** It may be the vendor, or what this request holds. */
  | 'fails';

/**
 * | outcome | says |
 * |---|---|
 * | accepted, refused for what it holds, busy | the vendor is there and itself |
 * | unavailable for its model | the same: other models may be served |
 * | not sent | the vendor is away |
 * | a page, a refused credential, 5xx, no response in time | it fails; a firewall may object to one prompt, a vendor stumble over it |
 */
export function evidenceOf(outcome: SubmitOutcome): Evidence {
  switch (outcome.kind) {
    case 'accepted':
    case 'refused':
    case 'busy':
      return 'serves';
    case 'not_sent':
      return 'away';
    case 'unknown':
      return 'fails';
    case 'unavailable':
      return outcome.cause === 'model' ? 'serves' : 'fails';
  }
}
