import { rollBack, type SharedPostgres } from './database.ts';

/** Of the primary that is gone: what it had told everybody to be safe, and its standby does not know. */
export interface LostCommits {
  /** Tasks that were created. */
  readonly tasks: readonly string[];
  /** That a task was sent to a provider; `isMoved` where that it was to go there is lost too. */
  readonly sent: readonly {
    readonly taskId: string;
    readonly provider: string;
    readonly isMoved: boolean;
  }[];
  readonly events: readonly {
    readonly taskId: string;
    readonly sequence: number;
    readonly status: string;
  }[];
  readonly attempts: readonly {
    readonly taskId: string;
    readonly sequence: number | null;
    readonly attempt: number;
  }[];
  /** Tasks that were deleted. */
  readonly deletions: readonly string[];
  /** Tasks of vendors that were on the list of what nobody is billed for. */
  readonly exposures: readonly string[];
  /**
   * Requests for text whose final usage was saved; `isOpen` where what was written down of it while it
   * ran is known.
   */
  readonly usage: readonly { readonly id: string; readonly isOpen: boolean }[];
  /** Requests for text of which it was written down that they ran. */
  readonly openUsage: readonly string[];
  /** Top-ups, summed. */
  readonly toppedUp: readonly { readonly accountId: string; readonly quota: number }[];
}

/** A server that has stopped hearing of its primary's commits. */
export interface Standby {
  /** Becomes the primary: what was committed since is gone, and so are all connections. */
  takeOver(): Promise<LostCommits>;
}

/** Tables whose rows worlds write; those of the others come from migrations. */
const eachTable = `
  SELECT c.relname FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
    AND NOT c.relispartition AND c.relname <> ALL ('{installation,id_cipher,data_partition,audit_watermark}')`;

/** Those that `lostSql` reads, whether they have rows or not. */
const compared =
  '{task,task_try,task_event,callback_attempt,exposure,ledger_entry,usage_record,usage_batch,usage_open}';

/** The rows themselves, and where each sequence is; both as they are at this moment. */
const copySql = `DO $$
DECLARE name text; has_rows boolean;
BEGIN
  DROP SCHEMA IF EXISTS standby CASCADE;
  CREATE SCHEMA standby;
  FOR name IN ${eachTable} LOOP
    EXECUTE format('SELECT EXISTS (SELECT 1 FROM public.%I)', name) INTO has_rows;
    IF has_rows OR name = ANY ('${compared}') THEN
      EXECUTE format('CREATE TABLE standby.%1$I AS TABLE public.%1$I', name);
    END IF;
  END LOOP;
  CREATE TABLE standby."the sequences" AS SELECT sequencename, start_value, last_value FROM pg_sequences WHERE schemaname = 'public';
END $$`;

/** No trigger and no foreign key is asked: these rows were all there together. */
const takeOverSql = `DO $$
DECLARE name text; has_rows boolean;
BEGIN
  SET LOCAL session_replication_role = replica;
  FOR name IN ${eachTable} LOOP
    EXECUTE format('SELECT EXISTS (SELECT 1 FROM public.%I)', name) INTO has_rows;
    IF has_rows THEN
      EXECUTE format('DELETE FROM public.%I', name);
    END IF;
    IF to_regclass(format('standby.%I', name)) IS NOT NULL THEN
      EXECUTE format('INSERT INTO public.%1$I TABLE standby.%1$I', name);
    END IF;
  END LOOP;
  PERFORM setval(format('public.%I', sequencename)::regclass, coalesce(last_value, start_value), last_value IS NOT NULL) FROM standby."the sequences";
  DROP SCHEMA standby CASCADE;
END $$`;

/** Taken into the books, or on its way there. */
const savedUsage = (schema: 'public' | 'standby'): string =>
  `SELECT id FROM ${schema}.usage_record UNION SELECT r ->> 'id' FROM ${schema}.usage_batch, jsonb_array_elements(records) r`;

/** A task that waits to be sent, or is sent elsewhere, as far as the standby knows. */
const lostSql = `
  SELECT
    ARRAY(SELECT id FROM task t WHERE NOT EXISTS (SELECT 1 FROM standby.task s WHERE s.id = t.id) ORDER BY 1) AS tasks,
    (SELECT coalesce(json_agg(json_build_object('taskId', y.task_id, 'provider', y.provider, 'isMoved', s.id IS NOT NULL AND s.provider <> y.provider) ORDER BY y.task_id, y.number), '[]')
       FROM (TABLE task_try EXCEPT TABLE standby.task_try) y LEFT JOIN standby.task s ON s.id = y.task_id
       WHERE s.id IS NULL OR s.step = 'submit' OR s.provider <> y.provider) AS sent,
    (SELECT coalesce(json_agg(json_build_object('taskId', e.task_id, 'sequence', e.sequence, 'status', e.status) ORDER BY e.task_id, e.sequence), '[]')
       FROM (SELECT task_id, sequence, status FROM task_event EXCEPT SELECT task_id, sequence, status FROM standby.task_event) e) AS events,
    (SELECT coalesce(json_agg(json_build_object('taskId', a.task_id, 'sequence', a.sequence, 'attempt', a.attempt) ORDER BY a.task_id, a.sequence, a.attempt), '[]')
       FROM callback_attempt a WHERE NOT EXISTS (SELECT 1 FROM standby.callback_attempt s WHERE s.id = a.id)) AS attempts,
    ARRAY(SELECT s.id FROM standby.task s LEFT JOIN task t ON t.id = s.id WHERE s.deleted_at IS NULL AND (t.id IS NULL OR t.deleted_at IS NOT NULL) ORDER BY 1) AS deletions,
    ARRAY(SELECT vendor_task_id FROM exposure e WHERE vendor_task_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM standby.exposure s WHERE s.id = e.id) ORDER BY 1) AS exposures,
    (SELECT coalesce(json_agg(json_build_object('id', u.id, 'isOpen', EXISTS (SELECT 1 FROM standby.usage_open o WHERE o.id = u.id)) ORDER BY u.id), '[]')
       FROM (${savedUsage('public')} EXCEPT (${savedUsage('standby')})) u) AS usage,
    ARRAY(SELECT id FROM usage_open o WHERE NOT EXISTS (SELECT 1 FROM standby.usage_open s WHERE s.id = o.id) ORDER BY 1) AS "openUsage",
    (SELECT coalesce(json_agg(json_build_object('accountId', t.account_id, 'quota', t.quota) ORDER BY t.account_id), '[]')
       FROM (SELECT account_id, sum(quota)::int AS quota FROM ledger_entry e WHERE kind = 'top_up' AND NOT EXISTS (SELECT 1 FROM standby.ledger_entry s WHERE s.id = e.id)
         GROUP BY account_id) t) AS "toppedUp"`;

/** Whatever is committed from now on is lost if this standby takes over. */
export async function beginStandby(shared: SharedPostgres): Promise<Standby> {
  const { world, server } = shared;
  const ask = <Row>(sql: string): Promise<Row[]> =>
    world.atWork(server.send(sql)).then(({ rows }) => rows as Row[]);
  await alone(shared, () => ask(copySql));
  return {
    async takeOver() {
      shared.isAway = true;
      shared.servers += 1;
      shared.silence.end();
      const { holder } = shared.sessions;
      if (holder !== undefined) await rollBack(shared, holder);
      return alone(shared, async () => {
        const [lost] = await ask<LostCommits>(lostSql);
        await ask(takeOverSql);
        if (lost === undefined) throw new Error('PostgreSQL does not say what is lost');
        return lost;
      });
    },
  };
}

/** While nobody has a transaction open. */
async function alone<Result>(
  { sessions }: SharedPostgres,
  work: () => Promise<Result>,
): Promise<Result> {
  const session = Symbol('replication');
  await sessions.enter(session, true);
  try {
    return await work();
  } finally {
    sessions.leave(session);
  }
}
