import type { Configuration } from '@gateway/contracts';
import { backoffDelayMs } from '@gateway/domain';
import {
  createFileRemover,
  createFrameCutter,
  findDecoder,
  openStorage,
  refuseForeignStorage,
  withOwner,
  type FileRemover,
  type FrameCutter,
  type OwnedStorage,
} from '@gateway/media';
import { createOutboundClient, openedRanges, type OutboundClient } from '@gateway/outbound';
import { createFileDeletions, createLogger, type Log, type Registry } from '@gateway/runtime';
import { createDatabase, createInstallation, type Database } from '@gateway/store';
import type { Settings } from '../config.ts';

export const loggerOf = ({ LOG_LEVEL: level, LOG_FORMAT: format }: Readonly<Settings>): Log =>
  createLogger({ service: 'video-worker', level, format });

export const openDatabase = (settings: Readonly<Settings>, log: Log): Database =>
  createDatabase({
    url: settings.DATABASE_URL,
    applicationName: 'gateway video-worker',
    poolSize: settings.DATABASE_POOL_SIZE,
    silentMs: settings.DATABASE_SILENCE_MS,
    onError: (error) => {
      log.warn('database connection lost', { reason: error.message });
    },
  });

const removalBackoff = { firstMs: 60_000, maxMs: 21_600_000 } as const;

/**
 * The storage of this database's installation, and what removes files from it. Rejects for another
 * installation's, with the database closed.
 */
export async function openOwnedStorage(
  settings: Readonly<Settings>,
  { database, metrics, log }: { database: Database; metrics: Registry; log: Log },
): Promise<{ readonly storage: OwnedStorage; readonly remover: FileRemover }> {
  const storage = withOwner(await openStorage(settings), createInstallation(database));
  await refuseForeignStorage(storage, log).catch(async (error: unknown) => {
    await database.part.stop();
    throw error;
  });
  const { failed, showStuck } = createFileDeletions(metrics, log);
  const remover = createFileRemover({
    deleteFile: storage.delete,
    pauseMs: (failures) => backoffDelayMs(removalBackoff, failures, Math.random()),
    now: () => performance.now(),
    onFailure: failed,
  });
  showStuck(remover.stuck);
  return { storage, remover };
}

/** Throws for ranges that may not be opened. */
const openOutbound = ({
  INGEST_ALLOW_CIDRS: cidrs,
  INGEST_ALLOW_HTTP: allowHttp,
  NODE_ENV: nodeEnv,
}: Readonly<Settings>): OutboundClient =>
  createOutboundClient({
    allowCidrs: openedRanges(cidrs, { setting: 'INGEST_ALLOW_CIDRS', nodeEnv }),
    allowHttp,
    userAgent: 'generation-gateway-ingest/0.1',
  });

/** Refuses wrong ranges and a broken decoder, before anything is opened that has to be closed. */
export async function checkedClients(settings: Readonly<Settings>): Promise<{
  readonly outbound: OutboundClient;
  readonly frames: FrameCutter | undefined;
}> {
  return { outbound: openOutbound(settings), frames: await findFrameCutter(settings) };
}

const maxFrameBytes = 20_000_000;

/** Searched for once, at the start. */
async function findFrameCutter({
  FFMPEG_PATH: programPath,
  PATH: searchPath,
  LAST_FRAME_TIMEOUT_MS: timeoutMs,
}: Readonly<Settings>): Promise<FrameCutter | undefined> {
  const decoder = await findDecoder({
    programPath: programPath === '' ? undefined : programPath,
    searchPath,
  });
  return decoder && createFrameCutter({ decoder, timeoutMs, maxBytes: maxFrameBytes });
}

/**
 * Throws when a model needs a decoder and there is none: its customers were promised a last frame.
 */
export function checkFrameCutter(frames: FrameCutter | undefined, { models }: Configuration): void {
  const needy = [...models.values()].find(({ lastFrame }) => lastFrame === 'extract');
  if (frames === undefined && needy !== undefined) {
    throw new Error(
      `the model ${needy.name} has last_frame: extract, and there is no ffmpeg on the PATH; install one or set FFMPEG_PATH`,
    );
  }
}
