import type { Video, VideoRequest } from '@gateway/client';
import { columnField, runField } from '../gateway/runs.ts';

type Reference = NonNullable<Video['request']>['references'][number];

/**
 * The request that would make a video once more: whatever its document has a value for, fields that
 * this console has never heard of too. References that came as bytes are no longer anywhere to be
 * had.
 */
export function requestAgain({ model, request, metadata }: Video): VideoRequest {
  const { references = [], ...fields } = request ?? {};
  const sent = Object.entries(fields).filter(([, value]) => value !== null);
  const again = references.flatMap(sendable);
  const { [runField]: _run, [columnField]: _column, ...own } = metadata;
  return {
    model,
    ...Object.fromEntries(sent),
    ...(again.length > 0 && { references: again }),
    ...(Object.keys(own).length > 0 && { metadata: own }),
  };
}

/** Size and hash are the gateway's findings, not part of what is sent. */
const sendable = ({ sha256: _hash, size_bytes: _size, url, ...reference }: Reference) =>
  url === null ? [] : [{ ...reference, url }];
