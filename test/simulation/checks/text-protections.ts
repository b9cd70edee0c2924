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
    seed: 14,
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
];
