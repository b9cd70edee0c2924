/**
 * Who may write what: one role for each service, applied by the migrator after the migrations, the
 * same list that ARCHITECTURE.md shows. The owner of the tables needs no line: it may do everything,
 * and nobody else may change a table, a trigger or a function.
 */

export const serviceRoles = [
  'gateway_api',
  'gateway_billing',
  'gateway_video_worker',
  'gateway_callback_dispatcher',
  'gateway_admin',
] as const;

export type ServiceRole = (typeof serviceRoles)[number];

/** What a role may do to the rows of a table, beside reading them. */
export interface Writes {
  readonly insert?: true;
  /** All columns, or these alone. To lock a row is to have one of its columns. */
  readonly update?: true | readonly string[];
  readonly delete?: true;
}

export interface TableGrants {
  /** Default: every role. */
  readonly readers?: readonly ServiceRole[];
  readonly writers: Partial<Readonly<Record<ServiceRole, Writes>>>;
}

const insert = { insert: true } as const;
const update = { update: true } as const;
const remove = { delete: true } as const;
const lockBy = (column: string): Writes => ({ update: [column] });

/** Of the table itself and of every table of the schema; a test fails when one has no line. */
export const tableGrants: Readonly<Record<string, TableGrants>> = {
  account: {
    writers: { gateway_api: { ...insert, ...update }, gateway_admin: { ...insert, ...update } },
  },
  api_key: {
    readers: ['gateway_api', 'gateway_admin'],
    writers: { gateway_api: { ...insert, ...update }, gateway_admin: { ...insert, ...update } },
  },
  callback_secret: {
    readers: ['gateway_api', 'gateway_callback_dispatcher', 'gateway_admin'],
    writers: { gateway_api: { ...insert, ...update }, gateway_admin: { ...insert, ...update } },
  },
  session: {
    readers: ['gateway_api'],
    writers: { gateway_api: { ...insert, ...update, ...remove } },
  },
  agent_budget: { writers: { gateway_api: { ...insert, ...update } } },
  agent_budget_use: { writers: { gateway_api: { ...insert, ...update, ...remove } } },
  idempotency_key: { writers: { gateway_api: { ...insert, ...update, ...remove } } },
  id_cipher: { readers: ['gateway_api', 'gateway_admin'], writers: {} },
  balance: {
    writers: {
      gateway_api: { ...insert, ...update },
      gateway_billing: { ...insert, ...update },
      gateway_admin: { ...insert, ...update },
    },
  },
  hold: {
    writers: {
      // A creation locks the hold; the removal of a task leaves its mark there.
      gateway_api: lockBy('task_deleted_at'),
      gateway_billing: { ...insert, ...update },
    },
  },
  ledger_entry: {
    writers: { gateway_api: insert, gateway_billing: insert, gateway_admin: insert },
  },
  adjustment_key: { writers: { gateway_api: insert, gateway_admin: insert } },
  top_up_key: { writers: { gateway_api: insert, gateway_admin: insert } },
  task: {
    writers: {
      gateway_api: { ...insert, ...update, ...remove },
      gateway_video_worker: update,
      // An operator's cancellation, as a customer's.
      gateway_admin: {
        update: [
          'epoch',
          'event_sequence',
          'status',
          'step',
          'step_failures',
          'completed_at',
          'cancel_requested_at',
          'failure_code',
          'failure_message',
          'billed_seconds',
          'billed_quota',
        ],
      },
    },
  },
  task_try: { writers: { gateway_video_worker: { ...insert, ...update } } },
  task_event: {
    writers: { gateway_api: insert, gateway_video_worker: insert, gateway_admin: insert },
  },
  operator_action: { writers: { gateway_api: insert, gateway_admin: insert } },
  vendor_line: { writers: { gateway_video_worker: { ...insert, ...update } } },
  gone_model: {
    writers: {
      gateway_api: remove,
      gateway_video_worker: { ...insert, ...update, ...remove },
      gateway_admin: remove,
    },
  },
  replica_report: {
    writers: {
      gateway_api: { ...insert, ...update, ...remove },
      gateway_billing: { ...insert, ...update, ...remove },
      gateway_video_worker: { ...insert, ...update, ...remove },
      gateway_callback_dispatcher: { ...insert, ...update, ...remove },
    },
  },
  // Triggers count; a creation and an upload lock the row.
  account_videos: { writers: { gateway_api: lockBy('account_id') } },
  account_assets: { writers: { gateway_api: lockBy('account_id') } },
  asset: { writers: { gateway_api: { ...insert, ...update, ...remove } } },
  installation: {
    writers: { gateway_admin: { update: ['sweep_allowed_files', 'sweep_allowed_until'] } },
  },
  deleted_task: { writers: { gateway_api: insert } },
  media: { writers: { gateway_video_worker: { ...insert, ...update } } },
  exposure: { writers: { gateway_video_worker: insert } },
  callback: {
    writers: {
      gateway_api: { ...insert, ...update, ...remove },
      gateway_callback_dispatcher: update,
      gateway_admin: update,
    },
  },
  callback_push: {
    writers: {
      gateway_api: { ...insert, ...update },
      gateway_video_worker: insert,
      gateway_callback_dispatcher: update,
      gateway_admin: { ...insert, ...update },
    },
  },
  callback_attempt: { writers: { gateway_callback_dispatcher: insert } },
  endpoint: { writers: { gateway_api: { ...insert, ...update, ...remove } } },
  // A trigger makes the rows of these two.
  endpoint_callback: {
    writers: {
      gateway_api: { ...update, ...remove },
      gateway_callback_dispatcher: update,
      gateway_admin: update,
    },
  },
  endpoint_push: {
    writers: {
      gateway_api: update,
      gateway_callback_dispatcher: update,
      gateway_admin: update,
    },
  },
  endpoint_attempt: { writers: { gateway_callback_dispatcher: insert } },
  usage_open: {
    writers: {
      gateway_api: { ...insert, ...update, ...remove },
      gateway_billing: { ...lockBy('replica'), ...remove },
    },
  },
  usage_lease: {
    writers: {
      gateway_api: { ...insert, ...update },
      gateway_billing: { ...insert, ...update, ...remove },
    },
  },
  text_lease: { writers: { gateway_billing: { ...insert, ...update, ...remove } } },
  usage_batch: {
    writers: { gateway_api: insert, gateway_billing: { ...insert, ...remove } },
  },
  usage_record: { writers: { gateway_billing: insert } },
  // Prompts and answers: nobody else reads them. Triggers count; whoever makes room locks the row.
  stored_response: {
    readers: ['gateway_api'],
    writers: { gateway_api: { ...insert, ...lockBy('account_id'), ...remove } },
  },
  stored_item: { readers: ['gateway_api'], writers: { gateway_api: insert } },
  account_responses: { readers: ['gateway_api'], writers: { gateway_api: lockBy('account_id') } },
  usage_uncollected: { writers: { gateway_billing: insert } },
  // Rows come and go by the functions below alone; a customer has what an archived task was about removed.
  archived_task: { writers: { gateway_api: { update: ['deleted_at', 'task', 'details'] } } },
  archived_task_default: { writers: {} },
  usage_record_default: { writers: {} },
  ledger_entry_default: { writers: {} },
  ledger_carried: { writers: {} },
  usage_day: { writers: {} },
  exposure_day: { writers: {} },
  data_partition: { writers: {} },
  ledger_closing: { writers: { gateway_billing: insert } },
  ledger_month: { writers: { gateway_billing: insert } },
  audit_watermark: { writers: { gateway_billing: update } },
  audit_mark: { writers: { gateway_billing: { ...insert, ...remove } } },
  audit_account: { writers: { gateway_billing: { ...insert, ...update } } },
  audit_lease: { writers: { gateway_billing: { ...insert, ...update, ...remove } } },
  audit_exposure: { writers: { gateway_billing: { ...insert, ...update } } },
  audit_check: { writers: { gateway_billing: { ...insert, ...update } } },
  audit_full: { writers: { gateway_admin: { ...insert, ...update } } },
  _prisma_migrations: { writers: {} },
};

/**
 * Functions that run as the owner of the tables, because they make and drop partitions and move rows that nobody else may
 * remove; who may call them.
 */
export const functionGrants: Readonly<Record<string, readonly ServiceRole[]>> = {
  make_partitions: ['gateway_billing', 'gateway_admin'],
  archive_tasks: ['gateway_billing', 'gateway_admin'],
  roll_up_usage: ['gateway_billing', 'gateway_admin'],
  drop_archive: ['gateway_billing', 'gateway_admin'],
  drop_ledger: ['gateway_billing', 'gateway_admin'],
  archive_deleted_tasks: ['gateway_billing', 'gateway_admin'],
  roll_up_exposures: ['gateway_billing', 'gateway_admin'],
  sum_up_uncollected: ['gateway_billing', 'gateway_admin'],
};

/** The setting of the migrator that lets a role log in: its password. */
export const passwordSettingOf = (role: ServiceRole): string => `${role.toUpperCase()}_PASSWORD`;
