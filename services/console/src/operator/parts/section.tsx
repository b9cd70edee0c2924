import type { ReactNode } from 'react';

export interface SectionProps {
  readonly title: string;
  /** Beside the title: what can be done, or what the numbers are of. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

/** A card with a heading. */
export function Section({ title, aside, children }: SectionProps) {
  return (
    <section className="card" aria-label={title}>
      <div className="card-head">
        <h2>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  );
}
