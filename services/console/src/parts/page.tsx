import { useEffect, type ReactNode } from 'react';
import { Skeleton } from './skeleton.tsx';

export interface PageProps {
  readonly title: string;
  readonly intro?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** One page: its heading, what can be done, and the rest. */
export function Page({ title, intro, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Gateway console`;
  }, [title]);
  return (
    <div className="page">
      <header className="page-head">
        <div>
          <h1>{title}</h1>
          {intro !== undefined && <p className="small">{intro}</p>}
        </div>
        {actions !== undefined && <div className="buttons">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** What stands where there is nothing yet: what would be here, and how it comes here. */
export function Empty({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** Where a page will be, until its script has arrived. */
export function PageSkeleton() {
  return (
    <div className="page" aria-busy="true">
      <Skeleton width="180px" height="28px" />
      <Skeleton height="320px" />
    </div>
  );
}

export function NoSuchPage() {
  return (
    <Page title="Page not found">
      <Empty title="This page does not exist">
        <p>Check the address, or choose a page from the menu.</p>
      </Empty>
    </Page>
  );
}
