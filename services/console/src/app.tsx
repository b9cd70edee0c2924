import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import type { CurrentSession } from '@gateway/client';
import { connection } from './gateway/connection.ts';
import { followAccount, noteVideo } from './gateway/live.ts';
import { useReconnection } from './gateway/reconnection.ts';
import { customerSession } from './gateway/session.ts';
import { useStore } from './gateway/store.ts';
import { resumeCreations } from './gateway/unconfirmed.ts';
import { LoginPage } from './pages/login.tsx';
import { PlaygroundPage } from './pages/playground/page.tsx';
import { Notices } from './parts/notices.tsx';
import { NoSuchPage, PageSkeleton } from './parts/page.tsx';
import { CustomerShell } from './parts/customer-shell.tsx';

const VideosPage = lazy(async () => ({
  default: (await import('./pages/videos/page.tsx')).VideosPage,
}));
const VideoPage = lazy(async () => ({
  default: (await import('./pages/video/page.tsx')).VideoPage,
}));
const TextPage = lazy(async () => ({ default: (await import('./pages/text/page.tsx')).TextPage }));
const CallbacksPage = lazy(async () => ({
  default: (await import('./pages/callbacks/page.tsx')).CallbacksPage,
}));
const KeysPage = lazy(async () => ({ default: (await import('./pages/keys/page.tsx')).KeysPage }));
const UsagePage = lazy(async () => ({
  default: (await import('./pages/usage/page.tsx')).UsagePage,
}));
const BillingPage = lazy(async () => ({
  default: (await import('./pages/billing/page.tsx')).BillingPage,
}));
const ModelsPage = lazy(async () => ({
  default: (await import('./pages/models/page.tsx')).ModelsPage,
}));
const AssetsPage = lazy(async () => ({
  default: (await import('./pages/assets/page.tsx')).AssetsPage,
}));

const OperatorApp = lazy(async () => ({
  default: (await import('./operator/app.tsx')).OperatorApp,
}));

/** Operators have a part of the console of their own, and a session for it. */
export function App() {
  const [location] = useLocation();
  const isOperators = location === '/operator' || location.startsWith('/operator/');
  return (
    <>
      {isOperators ? (
        <Suspense fallback={<PageSkeleton />}>
          <OperatorApp />
        </Suspense>
      ) : (
        <CustomerApp />
      )}
      <Notices />
    </>
  );
}

/** The pages for whoever is signed in; for everybody else the way in, at whatever address. */
function CustomerApp() {
  const session = useQuery(customerSession.query);
  useReconnection(customerSession.query.queryKey);
  useEffect(customerSession.watch, []);
  return (
    <>
      {session.data === null && <LoginPage />}
      {session.data != null && <SignedIn session={session.data} />}
    </>
  );
}

function SignedIn({ session }: { session: CurrentSession }) {
  useAccount(session.account_id);
  return (
    <CustomerShell session={session}>
      <Suspense fallback={<PageSkeleton />}>
        <Switch>
          <Route path="/">
            <Redirect to="/playground" replace />
          </Route>
          <Route path="/playground">
            <PlaygroundPage session={session} />
          </Route>
          <Route path="/videos">
            <VideosPage />
          </Route>
          <Route path="/videos/:id">{({ id }) => <VideoPage key={id} id={id} />}</Route>
          <Route path="/text" component={TextPage} />
          <Route path="/callbacks">
            <CallbacksPage session={session} />
          </Route>
          <Route path="/keys">
            <KeysPage session={session} />
          </Route>
          <Route path="/usage" component={UsagePage} />
          <Route path="/billing" component={BillingPage} />
          <Route path="/models" component={ModelsPage} />
          <Route path="/assets" component={AssetsPage} />
          <Route component={NoSuchPage} />
        </Switch>
      </Suspense>
    </CustomerShell>
  );
}

const resumeEveryMs = 15_000;

/** Follows the account, and asks again for what an earlier page left open. */
function useAccount(accountId: string): void {
  const state = useStore(connection);
  useEffect(() => {
    const ended = new AbortController();
    void followAccount(ended.signal);
    return () => {
      ended.abort();
    };
  }, [accountId]);
  useEffect(() => {
    if (state === 'down') return undefined;
    const resume = (): void => void resumeCreations(accountId, noteVideo);
    resume();
    const timer = setInterval(resume, resumeEveryMs);
    return () => {
      clearInterval(timer);
    };
  }, [accountId, state]);
}
