import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { AccountKey, NewAccountKey } from '@gateway/client';
import { allScopes, ScopeField, usualScopes } from '../../../parts/scopes.tsx';
import { operator } from '../../gateway.ts';
import { FormDialog, TextField, WholeField } from '../../parts/form-dialog.tsx';
import { keyRequestOf, type KeyFields } from './key-request.ts';
import { readAccountAgain } from './refresh.ts';

export interface KeyFormProps {
  readonly accountId: string;
  /** The one to change; a new one when left out. */
  readonly apiKey: AccountKey | undefined;
  readonly onClose: () => void;
  readonly onMade: (key: NewAccountKey) => void;
}

const fieldsFor = (key: AccountKey | undefined): KeyFields => ({
  name: key?.name ?? '',
  scopes: key?.scopes ?? usualScopes,
  models: key?.models?.join(', ') ?? '',
  rate: String(key?.requests_per_minute ?? ''),
});

/** What a key may do, where, and how often. */
export function KeyForm({ accountId, apiKey, onClose, onMade }: KeyFormProps) {
  const [fields, setFields] = useState(() => fieldsFor(apiKey));
  const save = useMutation({
    mutationFn: async () => {
      const request = keyRequestOf(fields);
      if (apiKey !== undefined) await operator.accounts.changeKey(apiKey.id, request);
      else onMade(await operator.accounts.createKey(accountId, request));
    },
    onSuccess: onClose,
    onSettled: () => {
      readAccountAgain(accountId);
    },
  });
  const set =
    <Name extends keyof KeyFields>(name: Name) =>
    (value: KeyFields[Name]): void => {
      setFields({ ...fields, [name]: value });
    };
  return (
    <FormDialog
      title={apiKey === undefined ? 'New key' : `Change “${apiKey.name}”`}
      action={apiKey === undefined ? 'Create key' : 'Save'}
      isPending={save.isPending}
      error={save.error}
      onSubmit={save.mutate}
      onClose={onClose}
    >
      <TextField
        label="Name"
        placeholder="The program that uses it"
        isRequired
        maxLength={200}
        value={fields.name}
        onChange={set('name')}
      />
      <ScopeField scopes={allScopes} chosen={fields.scopes} onChange={set('scopes')} />
      <TextField
        label="Models"
        placeholder="sandbox-video, …"
        note="Separated by commas. Empty: every model."
        value={fields.models}
        onChange={set('models')}
      />
      <WholeField
        label="Requests a minute"
        note="Empty: as limits.default_key of the configuration says."
        min={1}
        value={fields.rate}
        onChange={set('rate')}
      />
    </FormDialog>
  );
}
