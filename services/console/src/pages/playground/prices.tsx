import { keepPreviousData, useQueries } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ApiError, type VideoRequest } from '@gateway/client';
import { gateway } from '../../gateway/client.ts';
import { numberText } from '../../parts/format.ts';
import { Quota } from '../../parts/quota.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';

const quotedAfterMs = 250;

/** What each video would cost at most, as the gateway quotes it, under the button that spends it. */
export function Prices({ requests }: { requests: readonly VideoRequest[] }) {
  // A price does not depend on the words, and without any there would be none.
  const settled = useSettled(requests.map((request) => ({ ...request, prompt: '…' })));
  const quotes = useQueries({
    queries: settled.map((request) => ({
      queryKey: ['quote', request],
      queryFn: ({ signal }: { signal: AbortSignal }) => gateway.videos.quote(request, { signal }),
      placeholderData: keepPreviousData,
    })),
  });
  const refused = quotes.find(({ data }) => data?.affordable === false)?.data;
  return (
    <div className="price" aria-live="polite">
      {settled.map(({ model }, index) => (
        <div className="price-row" key={model}>
          <span className="muted">{settled.length > 1 ? model : 'Maximum cost'}</span>
          <Price
            quota={quotes[index]?.data?.portal_billing.max_billing_quota}
            error={quotes[index]?.error ?? null}
          />
        </div>
      ))}
      {refused !== undefined && (
        <p className="field-error">
          Not enough quota: {numberText(refused.balance)} available. Ask your operator for more.
        </p>
      )}
    </div>
  );
}

function Price({ quota, error }: { quota: number | undefined; error: Error | null }) {
  if (error instanceof ApiError) return <span className="field-error">{error.message}</span>;
  if (quota === undefined) return <Skeleton width="64px" />;
  return (
    <strong>
      <Quota value={quota} /> quota
    </strong>
  );
}

/** A value once it has stopped changing, so that not every key press is a call. */
function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value);
  const text = JSON.stringify(value);
  useEffect(() => {
    const timer = setTimeout(() => {
      setSettled(JSON.parse(text) as Value);
    }, quotedAfterMs);
    return () => {
      clearTimeout(timer);
    };
  }, [text]);
  return settled;
}
