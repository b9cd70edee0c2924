import type { ReactNode } from 'react';
import { FailureNote } from './failure-note.tsx';
import { ListEnd } from './list-end.tsx';
import { Skeleton } from './skeleton.tsx';
import type { List } from './use-list.ts';

export interface ListCardProps<Item> {
  readonly list: List<Item>;
  /** The headings; one that begins with `#` stands over numbers. */
  readonly columns: readonly string[];
  readonly caption: string;
  readonly empty: ReactNode;
  /** What it lists, where a search goes on only when somebody asks. */
  readonly things?: string | undefined;
  readonly row: (item: Item) => ReactNode;
}

/** A table that goes on as far as somebody reads. */
export function ListCard<Item extends { readonly id: string }>(props: ListCardProps<Item>) {
  const { list, columns, caption, empty, things, row } = props;
  const { items, query } = list;
  if (query.error !== null && query.data === undefined) {
    return <FailureNote error={query.error} onRetry={() => void query.refetch()} />;
  }
  const isEmpty = query.isSuccess && query.data.next === undefined && items.length === 0;
  if (isEmpty) return <div className="card">{empty}</div>;
  return (
    <div className="card">
      <div className="table-frame" role="group" aria-label={caption} tabIndex={0}>
        <table className="table-wide">
          <caption className="unseen">{caption}</caption>
          <thead>
            <tr>
              {columns.map((column) => (
                <th
                  scope="col"
                  key={column}
                  className={column.startsWith('#') ? 'number' : undefined}
                >
                  {column.replace('#', '') || <span className="unseen">Actions</span>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {query.isPending ? <SkeletonRows columns={columns.length} /> : items.map(row)}
          </tbody>
        </table>
      </div>
      <ListEnd list={list} things={things} />
    </div>
  );
}

function SkeletonRows({ columns }: { columns: number }) {
  return Array.from({ length: 6 }, (_none, index) => (
    <tr key={index}>
      <td colSpan={columns}>
        <Skeleton height="20px" />
      </td>
    </tr>
  ));
}
