import type { Protection } from './protection.ts';

/** Those of text: its leases of quota, and its usage on the way into the books. */
export const textProtections: readonly Protection[] = [
  {
    key: 'take-back',
    name: 'the sweep over leases of replicas that are gone',
    guards: [
      {
        statement: 'SELECT DISTINCT ON (l.account_id)',
        text: `WHERE l.state = 'open'`,
        instead: 'WHERE false',
      },
    ],
    fault: /a lease of \S+ is still open/,
    seed: 14,
  },
  {
    key: 'open-usage',
    name: 'the sweep over usage that a replica left open',
    guards: [
      {
        statement: 'recover-usage',
        text: 'WHERE NOT EXISTS',
        instead: 'WHERE false AND NOT EXISTS',
      },
    ],
    fault: /text at rest: \d+ batches and [1-9]\d* open records are left/,
    seed: 19,
  },
  {
    key: 'outbox',
    name: 'the sweep over batches of usage',
    guards: [
      {
        statement: 'SELECT id FROM usage_batch ORDER BY',
        text: 'FROM usage_batch',
        instead: 'FROM usage_batch WHERE false',
      },
    ],
    fault: /text at rest: [1-9]\d* batches/,
    seed: 14,
  },
  {
    key: 'one-charge',
    name: 'the one charge of a record that comes twice',
    guards: [
      {
        statement: 'apply-usage',
        text: 'FROM inserted i JOIN',
        instead: 'FROM sent i JOIN',
      },
    ],
    fault: /used \d+ nano-quota of text and paid for \d+/,
    seed: 9,
  },
  {
    key: 'lease-wait',
    name: 'the wait of a lease for usage that its replica left open',
    guards: [
      {
        statement: 'SELECT DISTINCT ON (l.account_id)',
        text: 'AND NOT EXISTS (SELECT 1 FROM usage_open o WHERE o.replica = l.replica)',
        instead: '',
      },
    ],
    fault: /was taken back before \d+ requests that its replica left were charged/,
    seed: 129,
  },
  {
    key: 'debts',
    name: 'the sweep over debts (a top-up collects them too)',
    guards: [
      {
        statement: 'collect-debts',
        text: '($1::text IS NULL OR account_id = $1)',
        instead: 'account_id = $1',
      },
    ],
    fault: /owes \d+ and has \d+ available/,
    seed: 174,
  },
  {
    key: 'open-leases',
    name: 'the comparison of the leases that the books have open with those of a replica',
    guards: [{ statement: 'open-leases', text: `state = 'open'`, instead: 'false' }],
    fault: /\S+ of \S+ was closed \d+ s too late/,
    seed: 949,
  },
];
