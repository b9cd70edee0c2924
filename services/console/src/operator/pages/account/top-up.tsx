import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { newIdempotencyKey, type Account } from '@gateway/client';
import { numberText } from '../../../parts/format.ts';
import { Icon } from '../../../parts/icon.tsx';
import { operator } from '../../gateway.ts';
import { FormDialog, TextField, useDialog, WholeField } from '../../parts/form-dialog.tsx';
import { readAccountAgain } from './refresh.ts';

/** Adds quota, once however often the button is pressed. */
export function TopUpButton({ account }: { account: Account }) {
  const { isOpen, open, close } = useDialog();
  return (
    <>
      <button type="button" className="button button-main" onClick={open}>
        <Icon name="plus" /> Top up
      </button>
      {isOpen && <TopUpForm account={account} onClose={close} />}
    </>
  );
}

function TopUpForm({ account, onClose }: { account: Account; onClose: () => void }) {
  const [quota, setQuota] = useState('');
  const [note, setNote] = useState('');
  // Of what is in the form: sent again it counts once, and changed it is another top-up.
  const [idempotencyKey, setKey] = useState(newIdempotencyKey);
  const change =
    (set: (value: string) => void) =>
    (value: string): void => {
      set(value);
      setKey(newIdempotencyKey());
    };
  const add = useMutation({
    mutationFn: () =>
      operator.accounts.topUp(
        account.id,
        { quota: Number(quota), ...(note.trim() !== '' && { note: note.trim() }) },
        { idempotencyKey },
      ),
    onSuccess: onClose,
    onSettled: () => {
      readAccountAgain(account.id);
    },
  });
  return (
    <FormDialog
      title={`Top up “${account.name}”`}
      action={quota === '' ? 'Add quota' : `Add ${numberText(Number(quota))} quota`}
      isPending={add.isPending}
      error={add.error}
      onSubmit={add.mutate}
      onClose={onClose}
    >
      <WholeField
        label="Quota"
        note={
          account.debt_quota > 0
            ? `Its debt of ${numberText(account.debt_quota)} is paid first.`
            : `It has ${numberText(account.available_quota)} available.`
        }
        min={1}
        isRequired
        value={quota}
        onChange={change(setQuota)}
      />
      <TextField
        label="Note"
        placeholder="Invoice 2026-11"
        note="Stands in the ledger, for operators only."
        maxLength={500}
        value={note}
        onChange={change(setNote)}
      />
    </FormDialog>
  );
}
