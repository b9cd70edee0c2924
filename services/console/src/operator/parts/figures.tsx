import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Skeleton } from '../../parts/skeleton.tsx';

export interface Figure {
  readonly name: string;
  /** Undefined while it is not known. */
  readonly value: ReactNode;
  readonly note?: ReactNode;
  /** The rows behind it. */
  readonly href?: string | undefined;
}

/** A few figures side by side; one that has rows behind it leads to them. */
export function Figures({ figures }: { figures: readonly Figure[] }) {
  return (
    <ul className="figures">
      {figures.map(({ name, value, note, href }) => (
        <li className="card figure" key={name}>
          <span className="small muted">
            {href === undefined ? name : <Link href={href}>{name}</Link>}
          </span>
          <strong>{value ?? <Skeleton width="72px" height="28px" />}</strong>
          <span className="small muted">{note ?? ' '}</span>
        </li>
      ))}
    </ul>
  );
}
