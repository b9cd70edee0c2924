import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { gateway } from '../../gateway/client.ts';
import { queries } from '../../gateway/query-client.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';

const queryKey = ['callback secret'];

/** What signs every push; read only when somebody asks to see it. */
export function Secret() {
  const [isShown, setIsShown] = useState(false);
  const secret = useQuery({
    queryKey,
    queryFn: ({ signal }) => gateway.callbacks.secret({ signal }),
    enabled: isShown,
    gcTime: 0,
  });
  const rotate = useMutation({
    mutationFn: () => gateway.callbacks.rotateSecret(),
    onSuccess: () => queries.invalidateQueries({ queryKey }),
  });
  const text = secret.data?.secret ?? null;
  const failure = secret.error ?? rotate.error;
  return (
    <section className="card" aria-label="Signing secret">
      <div className="card-head">
        <h2>Signing secret</h2>
        <div className="buttons">
          <button
            type="button"
            className="button button-small"
            onClick={() => {
              setIsShown(!isShown);
            }}
          >
            {isShown ? 'Hide' : 'Show'}
          </button>
          <ConfirmButton
            label="Rotate"
            title="Rotate the signing secret?"
            action="Rotate secret"
            onConfirm={() => {
              rotate.mutate();
            }}
          >
            <p>Both secrets sign callbacks for one day. After that, only the new one does.</p>
          </ConfirmButton>
        </div>
      </div>
      <div className="card-body stack">
        {failure !== null && <FailureNote error={failure} />}
        {isShown && text !== null ? (
          <div className="row">
            <code className="code">{text}</code>
            <CopyButton text={text} what="secret" />
          </div>
        ) : (
          <p className="muted small">
            Use it to verify the signature of each callback, for example with the client&rsquo;s{' '}
            <code>verifyCallback</code>.
          </p>
        )}
      </div>
    </section>
  );
}
