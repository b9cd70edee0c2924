import type { Account } from '@gateway/client';
import { StateMark } from '../../parts/status-mark.tsx';

/** Whether an account may begin new work. */
export const AccountState = ({ account }: { account: Account }) =>
  account.suspended ? (
    <StateMark mood="bad" word="suspended" />
  ) : (
    <StateMark mood="good" word="active" />
  );
