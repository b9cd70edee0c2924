import type { ApiKey } from '@gateway/client';
import { StateMark } from './status-mark.tsx';

/** Whether a key still opens anything. */
export function KeyState({ apiKey }: { apiKey: Pick<ApiKey, 'revoked_at' | 'expires_at'> }) {
  const { revoked_at: revoked, expires_at: expires } = apiKey;
  if (revoked !== null) return <StateMark mood="over" word="revoked" />;
  const isOver = expires !== null && Date.parse(expires) <= Date.now();
  if (isOver) return <StateMark mood="over" word="expired" />;
  return <StateMark mood="good" word="active" />;
}
