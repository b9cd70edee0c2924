import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiKey, CurrentSession, NewApiKey } from '@gateway/client';
import { gateway } from '../../gateway/client.ts';
import { putRow } from '../../gateway/list-query.ts';
import { queries } from '../../gateway/query-client.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { Icon } from '../../parts/icon.tsx';
import { KeyState } from '../../parts/key-state.tsx';
import { ListCard } from '../../parts/list-card.tsx';
import { Empty, Page } from '../../parts/page.tsx';
import { Ago } from '../../parts/time.tsx';
import { useList } from '../../parts/use-list.ts';
import { KeyForm } from './key-form.tsx';

/** The keys of the account, for a session whose key may make others. */
export function KeysPage({ session }: { session: CurrentSession }) {
  if (!session.scopes.includes('keys:write')) {
    return (
      <Page title="Keys">
        <div className="card">
          <Empty title="This key cannot manage keys">
            <p className="muted">
              Log in with a key that has the scope <code>keys:write</code>. An operator can create
              one:
            </p>
            <pre className="code">{`npm run admin -- key create --account ${session.account_id} \\
  --name keys --scopes videos:read,videos:write,text,billing:read,keys:write`}</pre>
          </Empty>
        </div>
      </Page>
    );
  }
  return <Keys session={session} />;
}

function Keys({ session }: { session: CurrentSession }) {
  const list = useList({ queryKey: ['keys'], open: (options) => gateway.keys.list(options) });
  const readAgain = (): void => void queries.invalidateQueries({ queryKey: ['keys'] });
  const revoke = useMutation({
    mutationFn: (id: string) => gateway.keys.revoke(id),
    onSuccess: (key) => {
      putRow(['keys'], key);
    },
  });
  return (
    <Page
      title="Keys"
      intro="Give each program its own key, with only the scopes it needs."
      actions={<MakeKey session={session} onMade={readAgain} />}
    >
      {revoke.error !== null && <FailureNote error={revoke.error} />}
      <ListCard
        list={list}
        caption="Keys, newest first"
        columns={['Name', 'Prefix', 'Scopes', 'Status', '#Last used', '#']}
        row={(key) => (
          <Row
            key={key.id}
            apiKey={key}
            isOwn={key.id === session.key_id}
            onRevoke={revoke.mutate}
          />
        )}
        empty={
          <Empty title="No keys yet">
            <p className="muted">Create your first key.</p>
          </Empty>
        }
      />
    </Page>
  );
}

function MakeKey({ session, onMade }: { session: CurrentSession; onMade: () => void }) {
  const [isOpen, setIsOpen] = useState(false);
  const [made, setMade] = useState<NewApiKey>();
  return (
    <>
      <button
        type="button"
        className="button button-main"
        onClick={() => {
          setIsOpen(true);
        }}
      >
        <Icon name="plus" /> New key
      </button>
      {isOpen && (
        <KeyForm
          scopes={session.scopes}
          onClose={() => {
            setIsOpen(false);
          }}
          onMade={(key) => {
            setIsOpen(false);
            setMade(key);
            onMade();
          }}
        />
      )}
      {made !== undefined && (
        <NewKey
          made={made}
          onClose={() => {
            setMade(undefined);
          }}
        />
      )}
    </>
  );
}

/** The only time that anybody sees it: it is in no list, and not in this page once it is closed. */
function NewKey({ made, onClose }: { made: NewApiKey; onClose: () => void }) {
  return (
    <Dialog title={`The key “${made.name}”`} onClose={onClose}>
      <p>Copy it now. You will not be able to see it again.</p>
      <div className="row">
        <code className="code">{made.api_key}</code>
        <CopyButton text={made.api_key} what="key" />
      </div>
    </Dialog>
  );
}

interface RowProps {
  readonly apiKey: ApiKey;
  readonly isOwn: boolean;
  readonly onRevoke: (id: string) => void;
}

function Row({ apiKey, isOwn, onRevoke }: RowProps) {
  const { id, name, prefix, scopes, models, last_used_at: used } = apiKey;
  return (
    <tr>
      <td>
        {name}
        {isOwn && <span className="muted"> · this session</span>}
      </td>
      <td>
        <code>{prefix}…</code>
      </td>
      <td className="small">
        {scopes.join(', ')}
        {models !== null && <div className="muted">only {models.join(', ')}</div>}
      </td>
      <td>
        <KeyState apiKey={apiKey} />
      </td>
      <td className="number small muted">{used === null ? 'Never' : <Ago at={used} />}</td>
      <td className="number">
        {apiKey.revoked_at === null && (
          <ConfirmButton
            label="Revoke"
            title={`Revoke “${name}”?`}
            action="Revoke key"
            onConfirm={() => {
              onRevoke(id);
            }}
          >
            <p>
              Programs that use it get a 401 within five seconds. Browsers that logged in with it
              are logged out{isOwn && ', including this one'}.
            </p>
          </ConfirmButton>
        )}
      </td>
    </tr>
  );
}
