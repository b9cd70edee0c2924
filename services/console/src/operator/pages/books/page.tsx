import { useQuery } from '@tanstack/react-query';
import { Page } from '../../../parts/page.tsx';
import { FailureNote } from '../../../parts/failure-note.tsx';
import { numberText } from '../../../parts/format.ts';
import { Icon } from '../../../parts/icon.tsx';
import { Skeleton } from '../../../parts/skeleton.tsx';
import { StateMark } from '../../../parts/status-mark.tsx';
import type { BillingVerification } from '@gateway/client';
import { resultsOf, type InvariantResult } from '../../books.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { Section } from '../../parts/section.tsx';
import { booksQuery } from '../../queries.ts';
import { Exposures } from './exposures.tsx';
import { Margin } from './margin.tsx';

/** Whether the books are right, and what is earned. */
export function BooksPage() {
  const { data, error, refetch, isFetching } = useQuery(booksQuery);
  return (
    <Page
      title="Books"
      intro="What must always hold of the ledger, and what videos bring in. Amounts are in quota."
      actions={
        <button
          type="button"
          className="button"
          disabled={isFetching}
          onClick={() => void refetch()}
        >
          <Icon name="again" /> {isFetching ? 'Verifying…' : 'Verify again'}
        </button>
      }
    >
      {error !== null && <FailureNote error={error} onRetry={() => void refetch()} />}
      {data === undefined ? (
        error === null && <Skeleton height="320px" />
      ) : (
        <Verification verification={data} />
      )}
      <Margin />
      <Exposures />
    </Page>
  );
}

function Verification({ verification }: { verification: BillingVerification }) {
  const { ok, violations } = verification;
  return (
    <Section
      title="Invariants"
      aside={
        ok ? (
          <StateMark mood="good" word="all hold" />
        ) : (
          <StateMark
            mood="bad"
            word={`${numberText(violations.length)} ${violations.length === 1 ? 'violation' : 'violations'}`}
          />
        )
      }
    >
      <ul className="invariants">
        {resultsOf(verification).map((result) => (
          <Invariant key={result.name} result={result} />
        ))}
      </ul>
    </Section>
  );
}

function Invariant({ result: { name, violations } }: { result: InvariantResult }) {
  const words = name.replaceAll('_', ' ');
  if (violations.length === 0) {
    return (
      <li className="row">
        <StateMark mood="good" word="holds" /> <span>{words}</span>
      </li>
    );
  }
  return (
    <li className="invariant-broken stack stack-close">
      <span className="row">
        <StateMark mood="bad" word={`${numberText(violations.length)} violated`} /> {words}
      </span>
      <DataTable caption={`Violations: ${words}`} columns={['Subject', 'Detail']}>
        {violations.map(({ subject, detail }) => (
          <tr key={`${subject} ${detail}`}>
            <td className="mono">{subject}</td>
            <td className="address">{detail}</td>
          </tr>
        ))}
      </DataTable>
    </li>
  );
}
