import type { ReactNode } from 'react';

export interface DataTableProps {
  readonly caption: string;
  /** The headings; one that begins with `#` stands over numbers. */
  readonly columns: readonly string[];
  /** Whether it has so many columns that a phone shows it by scrolling. */
  readonly isWide?: boolean;
  readonly children: ReactNode;
}

/** A table of what is known as a whole; lists that go on are a `ListCard`. */
export function DataTable({ caption, columns, isWide = false, children }: DataTableProps) {
  return (
    <div className="table-frame" role="group" aria-label={caption} tabIndex={0}>
      <table className={isWide ? 'small table-wide' : 'small'}>
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
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
