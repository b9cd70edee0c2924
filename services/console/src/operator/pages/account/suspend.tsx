import { useMutation } from '@tanstack/react-query';
import type { Account } from '@gateway/client';
import { ConfirmButton } from '../../../parts/confirm-button.tsx';
import { FailureNote } from '../../../parts/failure-note.tsx';
import { numberText } from '../../../parts/format.ts';
import { operator } from '../../gateway.ts';
import { readAccountAgain } from './refresh.ts';

/** Stops an account, or lets it go on; says first what that does. */
export function SuspendButton({ account }: { account: Account }) {
  const change = useMutation({
    mutationFn: (suspended: boolean) => operator.accounts.change(account.id, { suspended }),
    onSettled: () => {
      readAccountAgain(account.id);
    },
  });
  return (
    <>
      {account.suspended ? (
        <button
          type="button"
          className="button"
          disabled={change.isPending}
          onClick={() => {
            change.mutate(false);
          }}
        >
          Resume
        </button>
      ) : (
        <ConfirmButton
          label="Suspend"
          title={`Suspend “${account.name}”?`}
          action="Suspend account"
          onConfirm={() => {
            change.mutate(true);
          }}
        >
          <p>
            Within five seconds its {numberText(account.active_keys)} keys begin no new work:
            videos, assets and text are refused with 403 <code>account_suspended</code>.
          </p>
          <p>
            Its {numberText(account.active_videos)} unfinished videos finish and are billed.
            Everything can still be read. You can resume it at any time.
          </p>
        </ConfirmButton>
      )}
      {change.error !== null && <FailureNote error={change.error} />}
    </>
  );
}
