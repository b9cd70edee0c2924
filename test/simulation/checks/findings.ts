import type { Database } from '@gateway/store';
import { createLedger } from '@gateway/store';
import type { Experience } from '../actors/customer.ts';
import type { Receivers } from '../actors/receiver.ts';
import type { Promised } from '../actors/settings.ts';
import type { Storage } from '../actors/storage.ts';
import type { FailOver } from '../actors/surroundings.ts';
import type { TextWorld } from '../actors/text/world.ts';
import type { Vendor } from '../actors/vendor.ts';
import { excuseOf, type Creation, type LostCommitsExcuse } from './lost-commits.ts';
import { findFaultsOfCharges } from './charges.ts';
import { findFaultsOfPushes } from './pushes.ts';
import { findFaultsOfText } from './text.ts';

/** Everything that is known at the end of a world. */
export interface Evidence {
  /** Nobody's but the checks': nothing is lost on its way. */
  readonly database: Database;
  readonly vendors: readonly Vendor[];
  readonly storage: Pick<Storage, 'files'>;
  readonly receivers: Pick<Receivers, 'arrivals'>;
  readonly experiences: readonly Experience[];
  readonly promised: Promised;
  readonly text: TextWorld | undefined;
  /** When the storm was over. */
  readonly calmAt: number;
  readonly failOvers: readonly FailOver[];
  /** What was seen on the way. */
  readonly seen: readonly string[];
}

interface TaskRow {
  readonly id: string;
  readonly status: string;
  readonly step: string;
  readonly failure_code: string | null;
  readonly billed_quota: number | null;
  readonly deleted: boolean;
  readonly late_ms: number | null;
  /** Providers of its tries. */
  readonly tried: readonly string[];
}

interface ExposureRow {
  readonly task_id: string;
  readonly kind: string;
  readonly vendor_task_id: string | null;
  readonly detail: string;
}

/** What is not as it has to be, in words; empty where everything is. */
export async function findFaults(evidence: Evidence): Promise<string[]> {
  const { calmAt } = evidence;
  const { pool } = evidence.database;
  const rows = async <Row>(sql: string): Promise<Row[]> => (await pool.query(sql)).rows as Row[];
  const tasks = await rows<TaskRow>(
    `SELECT id, status, step, failure_code, billed_quota, deleted_at IS NOT NULL AS deleted,
       (extract(epoch FROM completed_at - greatest(expires_at, to_timestamp(${calmAt / 1_000}))) * 1000)::float8 AS late_ms,
       ARRAY(SELECT provider FROM task_try y WHERE y.task_id = task.id ORDER BY number) AS tried
     FROM task ORDER BY id`,
  );
  const exposures = await rows<ExposureRow>(
    'SELECT task_id, kind, vendor_task_id, detail FROM exposure ORDER BY id',
  );
  const gone = await rows<{ id: string }>('SELECT task_id AS id FROM deleted_task ORDER BY 1');
  const excuse = excuseOf(evidence.failOvers);
  const books = { tasks, exposures, excuse, gone: new Set(gone.map(({ id }) => id)) };
  return [
    ...evidence.seen,
    ...(await faultsOfAudit(evidence.database)),
    ...faultsOfRest(tasks),
    ...faultsOfDeadlines(tasks, evidence.promised),
    ...faultsOfVendors(evidence.vendors, books),
    ...faultsOfAudits(books),
    ...faultsOfExperiences(evidence.experiences, books),
    ...(await faultsOfOrders(rows)),
    ...(await faultsOfFiles(evidence, { rows, excuse })),
    ...(await findFaultsOfCharges(evidence)),
    ...(await findFaultsOfPushes({ ...evidence, ...evidence.receivers, excuse })),
    ...(evidence.text === undefined
      ? []
      : await findFaultsOfText({ ...evidence, text: evidence.text })),
  ];
}

/** As `admin billing verify` finds them. */
async function faultsOfAudit(database: Database): Promise<string[]> {
  const violations = await createLedger(database).verify({ graceSeconds: 60 });
  return violations.map(
    ({ invariant, subject, detail }) => `the audit: ${invariant}: ${subject}: ${detail}`,
  );
}

const faultsOfRest = (tasks: readonly TaskRow[]): string[] =>
  tasks
    .filter(({ step, deleted }) => step !== 'done' || deleted)
    .map(
      ({ id, status, step, deleted }) =>
        `not at rest: ${id} is ${deleted ? 'deleted and there,' : ''} ${status} at step ${step}`,
    );

/** A task ends soon after its deadline, or after the storm in which it was. */
function faultsOfDeadlines(
  tasks: readonly TaskRow[],
  { graceMs, fileGraceMs, sweepMs }: Promised,
): string[] {
  const mostMs = Math.max(graceMs, fileGraceMs) + 2 * sweepMs + lastWaitsMs;
  return tasks
    .filter(({ late_ms: lateMs }) => (lateMs ?? 0) > mostMs)
    .map(({ id, late_ms: lateMs }) => `${id} ended ${Math.round(lateMs ?? 0)} ms too late`);
}

/** A copy or a last poll that began in time may take so long. */
const lastWaitsMs = 45_000;

interface Books {
  readonly tasks: readonly TaskRow[];
  readonly exposures: readonly ExposureRow[];
  /** Tasks whose rows were removed at their customer's wish. */
  readonly gone: ReadonlySet<string>;
  readonly excuse: LostCommitsExcuse;
}

/** The vendors' record against our books. */
function faultsOfVendors(vendors: readonly Vendor[], books: Books): string[] {
  const all = vendors.flatMap((vendor) => vendor.tasks.map((task) => ({ vendor, task })));
  const known = new Set([...books.tasks.map(({ id }) => id), ...books.gone]);
  const taskIds = [...new Set(all.map(({ task }) => task.correlation))];
  const creationsOf = (taskId: string): Creation[] =>
    all.filter(({ task }) => task.correlation === taskId);
  return taskIds
    .map((taskId) => [taskId, creationsOf(taskId)] as const)
    .flatMap(([taskId, creations]) => [
      ...(known.has(taskId) ? [] : faultsOfUnknown(taskId, creations, books)),
      ...faultsOfCreations(
        taskId,
        creations.filter((creation) => !books.excuse.mayComeAgain(creation)),
      ),
      ...creations.flatMap((creation) => [
        ...faultOfWork(creation, books),
        ...faultOfTries(creation, books),
      ]),
    ]);
}

const isExposed = ({ task }: Creation, { exposures }: Books): boolean =>
  exposures.some((one) => one.task_id === task.correlation && one.vendor_task_id === task.id);

/** Found by the audit where the vendor shows what it has. */
const isForgotten = (creation: Creation, books: Books): boolean =>
  books.excuse.forgot(creation) && (!creation.vendor.hasList || isExposed(creation, books));

/** Its task was deleted, or nobody can know of it any more. */
const isExcused = (creation: Creation, books: Books): boolean =>
  books.gone.has(creation.task.correlation) ||
  isForgotten(creation, books) ||
  books.excuse.lostExposure(creation);

/** What an audit takes for lost has to be lost. */
const faultsOfAudits = ({ exposures, excuse }: Books): string[] =>
  exposures
    .filter(({ task_id: id, detail }) => /no such task/.test(detail) && !excuse.lostTask(id))
    .map(({ task_id: id }) => `an audit does not know ${id}, whose creation is not lost`);

function faultsOfUnknown(taskId: string, creations: readonly Creation[], books: Books): string[] {
  const isLost = books.excuse.lostTask(taskId);
  return isLost && creations.every((creation) => isForgotten(creation, books))
    ? []
    : [`a vendor has work for ${taskId}, of which we have no row`];
}

/** A task is created once; again only elsewhere, after what was created first had failed. */
function faultsOfCreations(taskId: string, creations: readonly Creation[]): string[] {
  const inOrder = creations.toSorted((one, other) => one.task.createdAt - other.task.createdAt);
  return inOrder.slice(1).flatMap(({ vendor, task }, index) => {
    const before = inOrder[index];
    const hadFailed =
      before !== undefined &&
      inOrder.slice(0, index + 1).every((earlier) => earlier.vendor !== vendor) &&
      before.vendor.stateOf(before.task) === 'failed' &&
      before.task.finishesAt <= task.createdAt;
    return hadFailed ? [] : [`created twice: ${taskId} as ${before?.task.id} and ${task.id}`];
  });
}

/** What a vendor has finished, or will have, was sold, or is on the operator's list of what was not. */
function faultOfWork(creation: Creation, books: Books): string[] {
  const { vendor, task } = creation;
  const { tasks, exposures } = books;
  const isCharged = task.end !== 'failed' && vendor.stateOf(task) !== 'cancelled';
  if (!isCharged || isExcused(creation, books)) return [];
  const row = tasks.find(({ id }) => id === task.correlation);
  const isNoted = exposures.some(({ task_id: id }) => id === task.correlation);
  if (row?.status === 'succeeded' || isNoted) return [];
  const what = vendor.stateOf(task) === 'running' ? 'still makes' : 'finished';
  return [`nobody knows of ${task.id}, which its vendor ${what}: ${row?.id} is ${row?.status}`];
}

/** What was sent is written down with where it was sent, also once it was sent elsewhere. */
function faultOfTries(creation: Creation, books: Books): string[] {
  const { vendor, task } = creation;
  if (isForgotten(creation, books)) return [];
  const row = books.tasks.find(({ id }) => id === task.correlation);
  return row === undefined || row.tried.includes(vendor.name)
    ? []
    : [`nobody has written down that ${row.id} was tried at ${vendor.name}`];
}

/** What customers were told against what is there. */
const faultsOfExperiences = (experiences: readonly Experience[], books: Books): string[] =>
  experiences.flatMap((experience) => {
    const [id, ...more] = experience.taskIds;
    if (!experience.isDone) return [`a customer of ${id ?? 'nothing'} still waits`];
    if (more.length > 0) return [`one key made several tasks: ${[id, ...more].join(', ')}`];
    if (id === undefined || books.gone.has(id)) return [];
    const row = books.tasks.find((task) => task.id === id);
    if (row !== undefined) return toldOf(experience, row, books.excuse);
    return books.excuse.lostTask(id) ? [] : [`${id} was promised and is not there`];
  });

/** An end that a customer was told of never changes, but for one that was lost. */
function toldOf(
  { seen, wasToldCancelled }: Experience,
  { id, status }: TaskRow,
  { lostStatus }: LostCommitsExcuse,
): string[] {
  const ends = seen.map((one) => one.status).filter(isOver);
  const told = wasToldCancelled ? [...ends, 'cancelled'] : ends;
  return told
    .filter((end) => end !== status && !lostStatus(id, end))
    .map((end) => `${id} was said to be ${end} and is ${status}`);
}

const isOver = (status: string): boolean => status !== 'queued' && status !== 'running';

type Rows = <Row>(sql: string) => Promise<Row[]>;

/** Whatever a customer asks again: nobody pays for a second video. */
async function faultsOfOrders(rows: Rows): Promise<string[]> {
  const several = await rows<{ number: string; ids: readonly string[] }>(
    `SELECT request #>> '{metadata,order}' AS number, array_agg(id ORDER BY id) AS ids FROM task GROUP BY 1 HAVING count(*) > 1 ORDER BY 1`,
  );
  return several.map(({ number, ids }) => `order ${number} made several tasks: ${ids.join(', ')}`);
}

async function faultsOfFiles(
  { storage }: Evidence,
  { rows, excuse }: { readonly rows: Rows; readonly excuse: LostCommitsExcuse },
): Promise<string[]> {
  const media = await rows<{ task_id: string; storage_key: string; sha256: string }>(
    'SELECT task_id, storage_key, sha256 FROM media WHERE purged_at IS NULL ORDER BY task_id',
  );
  return media.flatMap(({ task_id: id, storage_key: key, sha256 }) =>
    storage.files.get(key)?.sha256 === sha256 || excuse.lostDeletion(id)
      ? []
      : [`the file of ${id} is not what it was: ${key}`],
  );
}
