import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Account } from '@gateway/client';
import { operator } from '../../gateway.ts';
import { FormDialog, TextField, useDialog, WholeField } from '../../parts/form-dialog.tsx';
import { readAccountAgain } from './refresh.ts';

/** The name of an account, and how many unfinished videos it may have. */
export function EditAccount({ account }: { account: Account }) {
  const { isOpen, open, close } = useDialog();
  return (
    <>
      <button type="button" className="button" onClick={open}>
        Name and limits
      </button>
      {isOpen && <EditForm account={account} onClose={close} />}
    </>
  );
}

function EditForm({ account, onClose }: { account: Account; onClose: () => void }) {
  const [name, setName] = useState(account.name);
  const [limit, setLimit] = useState(String(account.active_videos_limit ?? ''));
  const change = useMutation({
    mutationFn: () =>
      operator.accounts.change(account.id, {
        name,
        active_videos_limit: limit === '' ? null : Number(limit),
      }),
    onSuccess: onClose,
    onSettled: () => {
      readAccountAgain(account.id);
    },
  });
  return (
    <FormDialog
      title="Name and limits"
      action="Save"
      isPending={change.isPending}
      error={change.error}
      onSubmit={change.mutate}
      onClose={onClose}
    >
      <TextField label="Name" isRequired maxLength={200} value={name} onChange={setName} />
      <WholeField
        label="Unfinished videos at the same time"
        note="Empty: as limits.default_account of the configuration says."
        min={1}
        value={limit}
        onChange={setLimit}
      />
    </FormDialog>
  );
}
