import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode, type SyntheticEvent } from 'react';
import type { CallbackTest, VideoStatus, Endpoint } from '@gateway/client';
import { gateway } from '../../gateway/client.ts';
import { queries } from '../../gateway/query-client.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { ListCard } from '../../parts/list-card.tsx';
import { Empty } from '../../parts/page.tsx';
import { StateMark, moodOf, type Mood } from '../../parts/status-mark.tsx';
import { UrlField } from '../../parts/url-field.tsx';
import { useList } from '../../parts/use-list.ts';
import { TestOutcome } from './address-test.tsx';

const queryKey = ['endpoints'];
const readAgain = (): Promise<void> => queries.invalidateQueries({ queryKey });

const moods: Readonly<Record<Endpoint['state'], Mood>> = {
  pending: 'waiting',
  active: 'good',
  failed: 'bad',
  disabled: 'over',
};

/** Addresses that get the statuses of all videos of the account. */
export function Endpoints({ mayChange }: { mayChange: boolean }) {
  const list = useList({ queryKey, open: (options) => gateway.endpoints.list(options) });
  const test = useMutation({ mutationFn: (id: string) => gateway.endpoints.test(id) });
  const change = useMutation({ mutationFn: (run: () => Promise<unknown>) => run() });
  const changed = (run: () => Promise<unknown>): void => {
    change.mutate(run, {
      onSettled: () => void readAgain(),
    });
  };
  const failure = change.error ?? test.error;
  return (
    <section className="stack" aria-label="Endpoints">
      {failure !== null && <FailureNote error={failure} />}
      <ListCard
        list={list}
        caption="Endpoints for all videos"
        columns={['Endpoint', 'Events', 'State', '#']}
        row={(endpoint) => (
          <Row
            key={endpoint.id}
            endpoint={endpoint}
            actions={
              mayChange && (
                <Actions
                  endpoint={endpoint}
                  isBusy={change.isPending || test.isPending}
                  onChange={changed}
                  onTest={test.mutate}
                />
              )
            }
          />
        )}
        empty={
          <Empty title="No endpoints yet">
            <p className="muted">
              An endpoint receives the statuses of all videos, whatever their{' '}
              <code>callback_url</code>.
            </p>
          </Empty>
        }
      />
      {test.data !== undefined && <Tested test={test.data} />}
      {mayChange && <AddEndpoint />}
    </section>
  );
}

const Tested = ({ test }: { test: CallbackTest }) => (
  <div className="card">
    <div className="card-body stack">
      <span className="small address">{test.callback_url}</span>
      <TestOutcome test={test} />
    </div>
  </div>
);

function Row({ endpoint, actions }: { endpoint: Endpoint; actions: ReactNode }) {
  const { url, description, events, state, detail } = endpoint;
  return (
    <tr>
      <td className="small address">
        {url}
        {description !== null && <div className="muted">{description}</div>}
      </td>
      <td className="small">{events.length === statuses.length ? 'all' : events.join(', ')}</td>
      <td>
        <StateMark mood={moods[state]} word={state} />
        {state === 'failed' && detail !== null && <div className="small muted">{detail}</div>}
      </td>
      <td className="number">{actions}</td>
    </tr>
  );
}

interface ActionsProps {
  readonly endpoint: Endpoint;
  readonly isBusy: boolean;
  readonly onChange: (run: () => Promise<unknown>) => void;
  readonly onTest: (id: string) => void;
}

function Actions({ endpoint: { id, url, state }, isBusy, onChange, onTest }: ActionsProps) {
  const button = (label: string, onClick: () => void) => (
    <button type="button" className="button button-small" disabled={isBusy} onClick={onClick}>
      {label}
    </button>
  );
  const enable = (enabled: boolean): void => {
    onChange(() => gateway.endpoints.change(id, { enabled }));
  };
  return (
    <div className="buttons">
      {(state === 'failed' || state === 'pending') &&
        button('Verify', () => {
          onChange(() => gateway.endpoints.verify(id));
        })}
      {button('Test', () => {
        onTest(id);
      })}
      {button(state === 'disabled' ? 'Enable' : 'Disable', () => {
        enable(state === 'disabled');
      })}
      <ConfirmButton
        label="Remove"
        title="Remove this endpoint?"
        action="Remove endpoint"
        onConfirm={() => {
          onChange(() => gateway.endpoints.delete(id));
        }}
      >
        <p>
          Nothing more is sent to <code>{url}</code>, and what is pending there is dropped.
        </p>
      </ConfirmButton>
    </div>
  );
}

const statuses = Object.keys(moodOf) as readonly VideoStatus[];

function AddEndpoint() {
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState<readonly VideoStatus[]>(statuses);
  const add = useMutation({
    mutationFn: () => gateway.endpoints.create({ url, events: [...events] }),
    onSuccess: () => {
      setUrl('');
      return readAgain();
    },
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    add.mutate();
  };
  return (
    <section className="card" aria-label="Add an endpoint">
      <div className="card-head">
        <h2>Add an endpoint</h2>
      </div>
      <form className="card-body stack" onSubmit={submit}>
        <UrlField label="Endpoint URL" value={url} onChange={setUrl} />
        <EventField chosen={events} onChange={setEvents} />
        {add.error !== null && <FailureNote error={add.error} />}
        <button type="submit" className="button" disabled={add.isPending || events.length === 0}>
          {add.isPending ? 'Verifying…' : 'Add endpoint'}
        </button>
      </form>
    </section>
  );
}

interface EventFieldProps {
  readonly chosen: readonly VideoStatus[];
  readonly onChange: (chosen: readonly VideoStatus[]) => void;
}

const EventField = ({ chosen, onChange }: EventFieldProps) => (
  <fieldset className="field">
    <legend className="label">Statuses to send</legend>
    <div className="row">
      {statuses.map((status) => (
        <label key={status} className="switch">
          <input
            type="checkbox"
            checked={chosen.includes(status)}
            onChange={({ target }) => {
              onChange(
                statuses.filter((each) =>
                  each === status ? target.checked : chosen.includes(each),
                ),
              );
            }}
          />
          <span>{status}</span>
        </label>
      ))}
    </div>
  </fieldset>
);
