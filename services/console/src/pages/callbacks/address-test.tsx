import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { CallbackTest } from '@gateway/client';
import { gateway } from '../../gateway/client.ts';
import { FailureNote } from '../../parts/failure-note.tsx';
import { StateMark } from '../../parts/status-mark.tsx';
import { UrlField } from '../../parts/url-field.tsx';

/** Sends a challenge and a test event to an address, and shows what came back. */
export function AddressTest() {
  const [url, setUrl] = useState('');
  const test = useMutation({ mutationFn: (address: string) => gateway.callbacks.test(address) });
  return (
    <section className="card" aria-label="Test a URL">
      <div className="card-head">
        <h2>Test a URL</h2>
      </div>
      <div className="card-body stack">
        <form
          className="row"
          onSubmit={(event) => {
            event.preventDefault();
            test.mutate(url);
          }}
        >
          <UrlField label="Callback URL" value={url} onChange={setUrl} />
          <button type="submit" className="button" disabled={test.isPending}>
            {test.isPending ? 'Sending…' : 'Send test event'}
          </button>
        </form>
        {test.error !== null && <FailureNote error={test.error} />}
        {test.data !== undefined && <TestOutcome test={test.data} />}
      </div>
    </section>
  );
}

/** What came of a test. */
export function TestOutcome({ test: { challenge, event } }: { test: CallbackTest }) {
  return (
    <div className="stack" role="status">
      <Sent name="Challenge" sent={challenge} />
      {event !== null && <Sent name="Test event" sent={event} />}
    </div>
  );
}

function Sent({ name, sent }: { name: string; sent: CallbackTest['challenge'] }) {
  return (
    <div className="small">
      <StateMark
        mood={sent.outcome === 'success' ? 'good' : 'bad'}
        word={`${name}: ${sent.outcome.replaceAll('_', ' ')}`}
      />{' '}
      <span className="muted">
        {sent.http_status === null ? '' : `HTTP ${sent.http_status}, `}
        {sent.duration_ms} ms
      </span>
      {sent.detail !== null && <div>{sent.detail}</div>}
    </div>
  );
}
