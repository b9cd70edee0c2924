import { useMutation } from '@tanstack/react-query';
import { useState, type SyntheticEvent } from 'react';
import type { NewApiKey } from '@gateway/client';
import { gateway } from '../../gateway/client.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { ScopeField, usualScopes, type Scope } from '../../parts/scopes.tsx';

export interface KeyFormProps {
  /** Those of this session: a key gives no more than it has. */
  readonly scopes: readonly Scope[];
  readonly onClose: () => void;
  readonly onMade: (key: NewApiKey) => void;
}

export function KeyForm({ scopes, onClose, onMade }: KeyFormProps) {
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<readonly Scope[]>(() =>
    scopes.filter((scope) => usualScopes.includes(scope)),
  );
  const create = useMutation({
    mutationFn: () => gateway.keys.create({ name, scopes: chosen }),
    onSuccess: onMade,
    // The response has the key: it is not to lie about.
    gcTime: 0,
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    create.mutate();
  };
  return (
    <Dialog title="New key" isSmall onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <label className="field">
          <span className="label">Name</span>
          <input
            className="input"
            required
            placeholder="The program that uses it"
            value={name}
            onChange={({ target }) => {
              setName(target.value);
            }}
          />
        </label>
        <ScopeField scopes={scopes} chosen={chosen} onChange={setChosen} />
        {create.error !== null && <FailureNote error={create.error} />}
        <button className="button button-main" disabled={create.isPending || chosen.length === 0}>
          Create key
        </button>
      </form>
    </Dialog>
  );
}
