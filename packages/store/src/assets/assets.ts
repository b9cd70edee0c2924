// SQL by hand: what changes an asset is one statement with its condition, on the database's clock
// and under the lock that counts the account's bytes; what a new video or a signed link asks is on
// the path of its request. What else is read goes through Prisma.
import type { MediaKind } from '@gateway/contracts';
import type { Database } from '../database/database.ts';
import type { Prisma } from '../generated/client.ts';
import { mapPage, readPage, type Page, type PageCursors } from '../database/page.ts';

/** A customer's image, video or audio clip, ready to be used in videos. */
export interface Asset {
  readonly id: string;
  readonly accountId: string;
  readonly kind: MediaKind;
  readonly contentType: string;
  readonly storageKey: string;
  readonly name: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly width: number | null;
  readonly height: number | null;
  readonly durationSeconds: number | null;
  readonly createdAt: Date;
}

/** What is known of an asset before its bytes arrive. */
export type AssetDraft = Pick<Asset, 'id' | 'accountId' | 'kind' | 'contentType' | 'storageKey'>;

/** What the stored bytes turned out to be. */
export type AssetFacts = Pick<
  Asset,
  'name' | 'sizeBytes' | 'sha256' | 'width' | 'height' | 'durationSeconds'
>;

export interface AssetPageQuestion extends PageCursors {
  readonly accountId: string;
}

/** A file that is to be removed, and after it the row that names it. */
export interface RemovableAsset {
  readonly assetId: string;
  readonly storageKey: string;
}

/**
 * The row is written before the file and removed after it, so that every file can be found by a
 * row. What is not `ready` is nobody's asset: an upload that never ended, or an unfinished
 * deletion.
 */
export interface Assets {
  /**
   * Notes that bytes are about to be stored under this key, and reserves `wantedBytes` of the
   * account's `maxBytes` for them, or what is left of those. Returns how many may be stored; 0 when
   * nothing is left beside ready assets and other uploads.
   */
  begin(draft: AssetDraft, limits: { wantedBytes: number; maxBytes: number }): Promise<number>;
  /**
   * The stored bytes become an asset; `full` when the account would hold more than `maxBytes`,
   * exactly and over all replicas, undefined when the upload was given up.
   */
  finish(assetId: string, facts: AssetFacts, maxBytes: number): Promise<Asset | 'full' | undefined>;
  /** Hands an unfinished upload to the removal. */
  giveUp(assetId: string): Promise<void>;
  /** The same for every upload that began longer ago than this; returns how many. */
  giveUpOlder(thanMs: number): Promise<number>;
  /** Those of the named that are the account's. */
  findOwn(assetIds: readonly string[], accountId: string): Promise<Asset[]>;
  page(question: AssetPageQuestion): Promise<Page<Asset>>;
  /** For its signed address: also a deleted asset, as long as a live task uses it. */
  findServed(assetId: string): Promise<Asset | undefined>;
  /** From here on no task can begin with it. False when the account has no such asset. */
  markDeleted(assetId: string, accountId: string): Promise<boolean>;
  /** Deleted assets that no live task uses, by id; with `after`, those that follow it. */
  findRemovable(options: {
    readonly limit: number;
    readonly assetId?: string;
    readonly after?: string | undefined;
  }): Promise<RemovableAsset[]>;
  /** Removes the row of a deleted asset whose file is gone. */
  forget(assetId: string): Promise<void>;
}

/**
 * What is left is read from the row once that is locked; a trigger adds the reservation to it in the
 * same transaction, and takes it back when the upload is over, however it ends.
 */
const beginSql = `
  WITH capacity AS (
    SELECT least($6::bigint, $7::bigint - bytes - reserved_bytes) AS granted FROM account_assets
    WHERE account_id = $2 AND bytes + reserved_bytes < $7 FOR NO KEY UPDATE)
  INSERT INTO asset (id, account_id, kind, content_type, storage_key, reserved_bytes)
  SELECT $1, $2, $3, $4, $5, granted FROM capacity
  ON CONFLICT (id) DO NOTHING
  RETURNING reserved_bytes AS "grantedBytes"`;

const columns = `
  id, account_id AS "accountId", kind, content_type AS "contentType", storage_key AS "storageKey", name, size_bytes AS "sizeBytes", sha256,
  width, height, duration_seconds AS "durationSeconds", created_at AS "createdAt"`;

/**
 * The row is read as it is once locked, and stays locked until the asset is counted: a trigger
 * raises it in the same transaction.
 */
const finishSql = `
  WITH upload AS (SELECT id, account_id FROM asset WHERE id = $1 AND state = 'uploading' FOR UPDATE),
  capacity AS (SELECT a.account_id FROM account_assets a JOIN upload USING (account_id) WHERE a.bytes + $3 <= $8 FOR NO KEY UPDATE OF a),
  ready AS (
    UPDATE asset SET state = 'ready', name = $2, size_bytes = $3, sha256 = $4, width = $5, height = $6, duration_seconds = $7
    FROM upload JOIN capacity USING (account_id) WHERE asset.id = upload.id
    RETURNING asset.*)
  SELECT ${columns}, EXISTS (SELECT 1 FROM upload) AND NOT EXISTS (SELECT 1 FROM capacity) AS "isFull" FROM (VALUES (1)) AS one LEFT JOIN ready ON true`;

const isRemovable = `state = 'deleted' AND NOT asset_in_use(id, account_id)`;

type FinishedRow = (Asset | { readonly id: null }) & { readonly isFull: boolean };

export function createAssets(database: Database): Assets {
  return { ...uploads(database.pool), ...reads(database), ...deletions(database.pool) };
}

const uploads = (
  pool: Database['pool'],
): Pick<Assets, 'begin' | 'finish' | 'giveUp' | 'giveUpOlder'> => ({
  async begin({ id, accountId, kind, contentType, storageKey }, { wantedBytes, maxBytes }) {
    const { rows } = await pool.query<{ grantedBytes: number }>({
      name: 'begin-asset',
      text: beginSql,
      values: [id, accountId, kind, contentType, storageKey, wantedBytes, maxBytes],
    });
    return rows[0]?.grantedBytes ?? 0;
  },
  async finish(assetId, facts, maxBytes) {
    const {
      rows: [row],
    } = await pool.query<FinishedRow>({
      name: 'finish-asset',
      text: finishSql,
      values: [
        assetId,
        facts.name,
        facts.sizeBytes,
        facts.sha256,
        facts.width,
        facts.height,
        facts.durationSeconds,
        maxBytes,
      ],
    });
    if (row === undefined || row.id === null) return row?.isFull === true ? 'full' : undefined;
    const { isFull, ...asset } = row;
    return isFull ? 'full' : asset;
  },
  async giveUp(assetId) {
    await pool.query(`UPDATE asset SET state = 'deleted' WHERE id = $1 AND state = 'uploading'`, [
      assetId,
    ]);
  },
  async giveUpOlder(thanMs) {
    const { rowCount } = await pool.query(
      `UPDATE asset SET state = 'deleted' WHERE state = 'uploading' AND created_at < now() - make_interval(secs => $1)`,
      [thanMs / 1_000],
    );
    return rowCount ?? 0;
  },
});

const reads = (database: Database): Pick<Assets, 'findOwn' | 'page' | 'findServed'> => ({
  async findOwn(assetIds, accountId) {
    const { rows } = await database.pool.query<Asset>({
      name: 'find-own-assets',
      text: `SELECT ${columns} FROM asset WHERE id = ANY($1) AND account_id = $2 AND state = 'ready'`,
      values: [assetIds, accountId],
    });
    return rows;
  },
  async page({ accountId, ...cursors }) {
    const prisma = await database.prisma();
    const page = await readPage(cursors, ({ ids, order, take }) =>
      prisma.asset.findMany({
        where: { accountId, state: 'ready', id: ids },
        omit: { state: true, reservedBytes: true },
        orderBy: { id: order },
        take,
      }),
    );
    return mapPage(page, assetOf);
  },
  async findServed(assetId) {
    const { rows } = await database.pool.query<Asset>({
      name: 'find-served-asset',
      text: `SELECT ${columns} FROM asset WHERE id = $1 AND size_bytes IS NOT NULL AND (state = 'ready' OR asset_in_use(id, account_id))`,
      values: [assetId],
    });
    return rows[0];
  },
});

const deletions = (
  pool: Database['pool'],
): Pick<Assets, 'markDeleted' | 'findRemovable' | 'forget'> => ({
  async markDeleted(assetId, accountId) {
    const { rowCount } = await pool.query(
      `UPDATE asset SET state = 'deleted' WHERE id = $1 AND account_id = $2 AND state = 'ready'`,
      [assetId, accountId],
    );
    return rowCount === 1;
  },
  async findRemovable({ limit, assetId, after }) {
    const { rows } = await pool.query<RemovableAsset>(
      `SELECT id AS "assetId", storage_key AS "storageKey" FROM asset WHERE ${isRemovable} AND ($2::text IS NULL OR id = $2) AND id > $3 ORDER BY id LIMIT $1`,
      [limit, assetId ?? null, after ?? ''],
    );
    return rows;
  },
  async forget(assetId) {
    await pool.query(`DELETE FROM asset WHERE id = $1 AND ${isRemovable}`, [assetId]);
  },
});

/** Only a row that is ready, which has all of this. */
const assetOf = ({
  kind,
  name,
  sizeBytes,
  sha256,
  ...asset
}: Prisma.AssetGetPayload<{ omit: { state: true; reservedBytes: true } }>): Asset => ({
  ...asset,
  kind: kind as MediaKind,
  name: name ?? '',
  sizeBytes: Number(sizeBytes),
  sha256: sha256 ?? '',
});
