import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { NewAccount } from '@gateway/client';
import { queries } from '../../../gateway/query-client.ts';
import { operatorWord } from '../../../gateway/session.ts';
import { Icon } from '../../../parts/icon.tsx';
import { operator } from '../../gateway.ts';
import { FormDialog, TextField, useDialog, WholeField } from '../../parts/form-dialog.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';

/** Opens an account, and shows the secret of its callbacks once. */
export function NewAccountButton() {
  const { isOpen, open, close } = useDialog();
  const [made, setMade] = useState<NewAccount>();
  const [, navigate] = useLocation();
  return (
    <>
      <button type="button" className="button button-main" onClick={open}>
        <Icon name="plus" /> New account
      </button>
      {isOpen && (
        <AccountForm
          onClose={close}
          onMade={(account) => {
            close();
            setMade(account);
            void queries.invalidateQueries({ queryKey: [operatorWord, 'accounts'] });
          }}
        />
      )}
      {made !== undefined && (
        <ShownOnce
          title={`The callback secret of “${made.name}”`}
          secret={made.callback_secret}
          what="callback secret"
          onClose={() => {
            setMade(undefined);
            navigate(`/operator/accounts/${made.id}`);
          }}
        />
      )}
    </>
  );
}

interface AccountFormProps {
  readonly onClose: () => void;
  readonly onMade: (account: NewAccount) => void;
}

function AccountForm({ onClose, onMade }: AccountFormProps) {
  const [name, setName] = useState('');
  const [quota, setQuota] = useState('');
  const create = useMutation({
    mutationFn: () =>
      operator.accounts.create({ name, ...(quota !== '' && { quota: Number(quota) }) }),
    onSuccess: onMade,
    // The response has the secret: it is not to lie about.
    gcTime: 0,
  });
  return (
    <FormDialog
      title="New account"
      action="Open account"
      isPending={create.isPending}
      error={create.error}
      onSubmit={create.mutate}
      onClose={onClose}
    >
      <TextField
        label="Name"
        placeholder="Who it belongs to"
        isRequired
        maxLength={200}
        value={name}
        onChange={setName}
      />
      <WholeField
        label="First quota"
        note="Added as its first top-up; none when left out."
        min={0}
        value={quota}
        onChange={setQuota}
      />
    </FormDialog>
  );
}
