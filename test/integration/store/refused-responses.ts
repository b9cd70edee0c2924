const stored = (values: string): string =>
  `INSERT INTO stored_response (account_id, id, response, item_bytes, size_bytes) VALUES ($account, 'resp_x', '{}', ${values})`;

/** What the database refuses of stored responses: by which constraint, beside what task. */
export const refusedResponses: (readonly [string, 'queued', string])[] = [
  ['stored_response_bytes', 'queued', stored('-1, 10')],
  ['stored_response_bytes', 'queued', stored('10, 10')],
  [
    'account_responses_bytes',
    'queued',
    `INSERT INTO account_responses (account_id, bytes) VALUES ($account, -1)`,
  ],
  [
    'stored_item_account_id_response_id_fkey',
    'queued',
    `INSERT INTO stored_item (account_id, response_id, position, is_output, body) VALUES ($account, 'resp_missing', 0, false, '{}')`,
  ],
];
