import type { Video } from '@gateway/client';
import { isFinished } from '@gateway/client';
import { Quota } from './quota.tsx';
import { chargedOf } from './video-parts.ts';

/** What was held, and what it came to. */
export function Sums({ video }: { video: Video }) {
  const charged = chargedOf(video);
  return (
    <span>
      {charged === undefined ? (
        <>
          <Quota value={video.portal_billing.max_billing_quota} />{' '}
          <span className="muted">{isFinished(video) ? 'at most' : 'held'}</span>
        </>
      ) : (
        <>
          <Quota value={charged} /> <span className="muted">charged</span>
        </>
      )}
    </span>
  );
}
