import { ApiError } from '@gateway/client';

/** An error in the gateway's own words, with what support asks for. */
export function FailureNote({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  const refusal = error instanceof ApiError ? error : undefined;
  return (
    <div className="note note-bad" role="alert">
      <p>{error.message}</p>
      {refusal?.code !== undefined && (
        <p>
          <code>{refusal.code}</code>
          {refusal.requestId !== undefined && (
            <>
              , request <code>{refusal.requestId}</code>
            </>
          )}
        </p>
      )}
      {onRetry !== undefined && (
        <p>
          <button type="button" className="button button-small" onClick={onRetry}>
            Try again
          </button>
        </p>
      )}
    </div>
  );
}
