import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { AccountKey, NewAccountKey } from '@gateway/client';
import { ConfirmButton } from '../../../parts/confirm-button.tsx';
import { FailureNote } from '../../../parts/failure-note.tsx';
import { numberText } from '../../../parts/format.ts';
import { Icon } from '../../../parts/icon.tsx';
import { KeyState } from '../../../parts/key-state.tsx';
import { ListCard } from '../../../parts/list-card.tsx';
import { Empty } from '../../../parts/page.tsx';
import { Ago } from '../../../parts/time.tsx';
import { useList } from '../../../parts/use-list.ts';
import { operator } from '../../gateway.ts';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { keysList } from '../../queries.ts';
import { KeyForm } from './key-form.tsx';
import { readAccountAgain } from './refresh.ts';

type Open = 'new' | AccountKey | undefined;

/** The keys of an account: makes, changes and revokes them. */
export function AccountKeys({ id }: { id: string }) {
  const list = useList(keysList(id));
  const [form, setForm] = useState<Open>();
  const [made, setMade] = useState<NewAccountKey>();
  const revoke = useMutation({
    mutationFn: (keyId: string) => operator.accounts.revokeKey(keyId),
    onSettled: () => {
      readAccountAgain(id);
    },
  });
  return (
    <div className="stack">
      <div className="row spread">
        <p className="small muted">A key is shown once, when it is made.</p>
        <button
          type="button"
          className="button"
          onClick={() => {
            setForm('new');
          }}
        >
          <Icon name="plus" /> New key
        </button>
      </div>
      {revoke.error !== null && <FailureNote error={revoke.error} />}
      <ListCard
        list={list}
        things="keys"
        caption="Keys, newest first"
        columns={['Name', 'Prefix', 'Scopes', '#A minute', 'State', '#Last used', '#']}
        row={(key) => <Row key={key.id} apiKey={key} onChange={setForm} onRevoke={revoke.mutate} />}
        empty={<NoKeys id={id} />}
      />
      {form !== undefined && (
        <KeyForm
          accountId={id}
          apiKey={form === 'new' ? undefined : form}
          onClose={() => {
            setForm(undefined);
          }}
          onMade={setMade}
        />
      )}
      {made !== undefined && (
        <ShownOnce
          title={`The key “${made.name}”`}
          secret={made.api_key}
          what="key"
          onClose={() => {
            setMade(undefined);
          }}
        />
      )}
    </div>
  );
}

function NoKeys({ id }: { id: string }) {
  return (
    <Empty title="No keys yet">
      <p className="muted">Make one and hand it to the customer. By command:</p>
      <pre className="code">{`npm run admin -- key create --account ${id} --name server`}</pre>
    </Empty>
  );
}

interface RowProps {
  readonly apiKey: AccountKey;
  readonly onChange: (key: AccountKey) => void;
  readonly onRevoke: (id: string) => void;
}

function Row({ apiKey, onChange, onRevoke }: RowProps) {
  const { id, name, prefix, scopes, models, requests_per_minute: rate } = apiKey;
  return (
    <tr className="small">
      <td>{name}</td>
      <td>
        <code>{prefix}…</code>
      </td>
      <td>
        {scopes.join(', ')}
        {models !== null && <div className="muted">only {models.join(', ')}</div>}
      </td>
      <td className="number">
        {rate === null ? <span className="muted">default</span> : numberText(rate)}
      </td>
      <td>
        <KeyState apiKey={apiKey} />
      </td>
      <td className="number muted">
        {apiKey.last_used_at === null ? 'Never' : <Ago at={apiKey.last_used_at} />}
      </td>
      <td>
        {apiKey.revoked_at === null && (
          <div className="row-buttons">
            <button
              type="button"
              className="button button-small"
              onClick={() => {
                onChange(apiKey);
              }}
            >
              Change
            </button>
            <ConfirmButton
              label="Revoke"
              title={`Revoke “${name}”?`}
              action="Revoke key"
              onConfirm={() => {
                onRevoke(id);
              }}
            >
              <p>
                Programs that use it get a 401 within five seconds, and browsers that logged in with
                it are logged out. A revoked key never works again.
              </p>
            </ConfirmButton>
          </div>
        )}
      </td>
    </tr>
  );
}
