/**
 * The tables of what is pushed to one kind of address. They have the same columns but for the one that
 * tells callbacks apart, so that the same statements serve both kinds.
 */
export interface PushTables {
  readonly callback: string;
  readonly push: string;
  readonly attempt: string;
  /** The column that tells callbacks apart. */
  readonly key: string;
  /** Where a claimed callback pushes to: `target.url` and `target.endpoint_id`; no row: nowhere any more. */
  readonly target: string;
}

/** To the address that a task was created with; its id tells callbacks apart. */
export const taskPushes: PushTables = {
  callback: 'callback',
  push: 'callback_push',
  attempt: 'callback_attempt',
  key: 'task_id',
  target:
    'LEFT JOIN LATERAL (SELECT t.callback_url AS url, NULL::text AS endpoint_id) target ON true',
};

/** To an endpoint of its account; `<task>.<endpoint>` tells callbacks apart. */
export const endpointPushes: PushTables = {
  callback: 'endpoint_callback',
  push: 'endpoint_push',
  attempt: 'endpoint_attempt',
  key: 'callback_id',
  target: `LEFT JOIN LATERAL (
      SELECT e.url, e.id AS endpoint_id FROM endpoint_callback own JOIN endpoint e ON e.id = own.endpoint_id
      WHERE own.callback_id = $1 AND e.enabled AND e.verified_at IS NOT NULL) target ON true`,
};

/** The tables of a callback, by how it is named. */
export const tablesOf = (callbackId: string): PushTables =>
  callbackId.includes('.') ? endpointPushes : taskPushes;
