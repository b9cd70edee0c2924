import { useMutation, useQuery } from '@tanstack/react-query';
import type { GoneRoute } from '@gateway/client';
import { queries } from '../../../gateway/query-client.ts';
import { ConfirmButton } from '../../../parts/confirm-button.tsx';
import { FailureNote } from '../../../parts/failure-note.tsx';
import { momentText, numberText } from '../../../parts/format.ts';
import { Page } from '../../../parts/page.tsx';
import { Skeleton } from '../../../parts/skeleton.tsx';
import { Ago } from '../../../parts/time.tsx';
import { operator } from '../../gateway.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { FailureTable } from '../../parts/failure-table.tsx';
import { ProviderTable } from '../../parts/provider-table.tsx';
import { QueueTable } from '../../parts/queue-table.tsx';
import { Section } from '../../parts/section.tsx';
import { StatusSection } from '../../parts/status-section.tsx';
import { TextRouteTable } from '../../parts/text-route-table.tsx';
import { goneRoutesQuery } from '../../queries.ts';

/** How each provider stands, what failed at it, and which of its models get no tasks. */
export function ProvidersPage() {
  return (
    <Page
      title="Providers"
      intro="How each vendor stands, what failed there lately, and the routes that get no tasks."
    >
      <StatusSection title="Providers of videos">
        {({ providers }) => <ProviderTable providers={providers} />}
      </StatusSection>
      <StatusSection title="Failures of the last hour">
        {({ providers }) => <FailureTable providers={providers} />}
      </StatusSection>
      <GoneRoutes />
      <div className="columns">
        <StatusSection title="Text routes">
          {({ text_routes: routes }) => <TextRouteTable routes={routes} />}
        </StatusSection>
        <Section title="Job queues">
          <QueueTable />
        </Section>
      </div>
    </Page>
  );
}

function GoneRoutes() {
  const { data, error, refetch } = useQuery(goneRoutesQuery);
  const retry = useMutation({
    mutationFn: ({ provider, upstream_model: model }: GoneRoute) =>
      operator.retryRoute({ provider, upstream_model: model }),
    onSettled: () => queries.invalidateQueries({ queryKey: goneRoutesQuery.queryKey }),
  });
  return (
    <Section title="Routes without tasks">
      {error !== null && data === undefined && (
        <FailureNote error={error} onRetry={() => void refetch()} />
      )}
      {retry.error !== null && <FailureNote error={retry.error} />}
      {data === undefined && error === null && (
        <div className="card-body">
          <Skeleton height="48px" />
        </div>
      )}
      {data?.length === 0 && (
        <p className="card-body small muted">
          None: every configured route gets tasks. A route whose vendor says that it has no such
          model appears here, and its tasks go to the model’s other routes.
        </p>
      )}
      {data !== undefined && data.length > 0 && (
        <DataTable
          caption="Routes that get no tasks"
          columns={['Provider', 'Model', 'What the vendor said', '#Refusals', '#Since', '#']}
          isWide
        >
          {data.map((route) => (
            <Route
              key={`${route.provider} ${route.upstream_model}`}
              route={route}
              onRetry={() => {
                retry.mutate(route);
              }}
            />
          ))}
        </DataTable>
      )}
    </Section>
  );
}

function Route({ route, onRetry }: { route: GoneRoute; onRetry: () => void }) {
  const { provider, upstream_model: model, detail, refusals, since, paused_until: until } = route;
  return (
    <tr>
      <td>{provider}</td>
      <td className="mono">{model}</td>
      <td className="muted address">{detail}</td>
      <td className="number">{numberText(refusals)}</td>
      <td className="number muted">
        <Ago at={since} />
      </td>
      <td className="number">
        <ConfirmButton
          label="Retry"
          title="Send tasks there again?"
          action="Send tasks again"
          onConfirm={onRetry}
        >
          <p>
            New tasks are sent to <code>{model}</code> at {provider} within seconds, on every
            replica. If the vendor still has no such model, the next one finds out and goes to
            another route.
          </p>
          <p className="muted">Without this, one task finds out after {momentText(until)}.</p>
        </ConfirmButton>
      </td>
    </tr>
  );
}
