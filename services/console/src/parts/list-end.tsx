import { FailureNote } from './failure-note.tsx';
import type { List } from './use-list.ts';

/** What stands behind the last row: more to come, the end, or why it does not go on. */
export function ListEnd<Item>({
  list: { query, more, end },
  things = 'videos',
}: {
  list: List<Item>;
  things?: string | undefined;
}) {
  const readOn = (): void => {
    more.mutate();
  };
  if (more.error !== null) {
    return (
      <div className="more">
        <FailureNote error={more.error} onRetry={readOn} />
      </div>
    );
  }
  const { next, isSparse = false } = query.data ?? {};
  if (isSparse && !more.isPending) {
    return (
      <div className="more small">
        <p className="muted">No matches in the {things} searched so far.</p>
        <button type="button" className="button button-small" onClick={readOn}>
          Search older {things}
        </button>
      </div>
    );
  }
  const isMore = query.isPending || next !== undefined;
  return (
    <div className="more" ref={end}>
      <span className="small muted">{isMore ? 'Loading more…' : 'End of list'}</span>
    </div>
  );
}
