import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link, Redirect, Route, Switch } from 'wouter';
import { ApiError } from '@gateway/client';
import { useReconnection } from '../gateway/reconnection.ts';
import { Icon } from '../parts/icon.tsx';
import { Empty, NoSuchPage } from '../parts/page.tsx';
import { Shell } from '../parts/shell.tsx';
import { operatorDestinations } from './destinations.ts';
import { operator, operatorSession } from './gateway.ts';
import { followAll } from './live.ts';
import { OperatorLogin } from './login.tsx';
import { AccountPage } from './pages/account/page.tsx';
import { AccountsPage } from './pages/accounts/page.tsx';
import { BooksPage } from './pages/books/page.tsx';
import { OperatorCallbacksPage } from './pages/callbacks/page.tsx';
import { JournalPage } from './pages/journal/page.tsx';
import { NowPage } from './pages/now/page.tsx';
import { ProvidersPage } from './pages/providers/page.tsx';
import { OperatorVideoPage } from './pages/video/page.tsx';
import { OperatorVideosPage } from './pages/videos/page.tsx';
import { useOperatorOptions } from './palette-options.ts';
import './operator.css';

/** The pages for operators, or the way in. They arrive in one piece, and only when somebody asks for one. */
export function OperatorApp() {
  const session = useQuery(operatorSession.query);
  useReconnection(operatorSession.query.queryKey);
  useEffect(operatorSession.watch, []);
  useLive(session.data?.id);
  if (session.error instanceof ApiError && session.error.status === 404) return <NoOperators />;
  if (session.data == null) return session.data === null ? <OperatorLogin /> : null;
  return (
    <Shell
      destinations={operatorDestinations}
      whose="Operator"
      placeholder="Page, video ID or account ID"
      useOptions={useOperatorOptions}
      more={
        <li>
          <Link href="/">
            <Icon name="leave" /> Customer console
          </Link>
        </li>
      }
      onLeave={leave}
    >
      <Switch>
        <Route path="/operator">
          <Redirect to="/operator/now" replace />
        </Route>
        <Route path="/operator/now" component={NowPage} />
        <Route path="/operator/videos" component={OperatorVideosPage} />
        <Route path="/operator/videos/:id">
          {({ id }) => <OperatorVideoPage key={id} id={id} />}
        </Route>
        <Route path="/operator/accounts" component={AccountsPage} />
        <Route path="/operator/accounts/:id">{({ id }) => <AccountPage key={id} id={id} />}</Route>
        <Route path="/operator/callbacks" component={OperatorCallbacksPage} />
        <Route path="/operator/books" component={BooksPage} />
        <Route path="/operator/providers" component={ProvidersPage} />
        <Route path="/operator/journal" component={JournalPage} />
        <Route component={NoSuchPage} />
      </Switch>
    </Shell>
  );
}

/** Follows what happens while somebody is signed in. */
function useLive(sessionId: string | undefined): void {
  useEffect(() => {
    if (sessionId === undefined) return undefined;
    const ended = new AbortController();
    void followAll(ended.signal);
    return () => {
      ended.abort();
    };
  }, [sessionId]);
}

async function leave(): Promise<void> {
  await operator.sessions.close();
  operatorSession.note(null);
}

function NoOperators() {
  return (
    <main className="login">
      <div className="card">
        <Empty title="This gateway has no operator access">
          <p className="muted">
            The api has no <code>ADMIN_TOKEN</code>, or a proxy in front of it does not pass on{' '}
            <code>/admin/v1</code>. Set the token, at least 16 characters, and log in where that
            path can be reached.
          </p>
          <Link href="/" className="button">
            Customer console
          </Link>
        </Empty>
      </div>
    </main>
  );
}
