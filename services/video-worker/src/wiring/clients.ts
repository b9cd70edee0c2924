import type { Configuration } from '@gateway/contracts';
import { backoffDelayMs } from '@gateway/domain';
import {
  createFileRemover,
  createFrameCutter,
  createPosterCutter,
  findDecoder,
  openStorage,
  refuseForeignStorage,
  withOwner,
  type FileRemover,
  type Decoder,
  type FrameCutter,
  type OwnedStorage,
  type PosterCutter,
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
export async function checkedClients(settings: Readonly<Settings>): Promise<
  Cutters & {
    readonly outbound: OutboundClient;
  }
> {
  const outbound = openOutbound(settings);
  const decoder = await decoderOf(settings);
  return {
    outbound,
    ...(decoder === undefined ? noCutters : await cuttersWith(decoder, settings)),
  };
}

/** What cuts pictures from videos; none where there is no decoder. */
export interface Cutters {
  readonly frames: FrameCutter | undefined;
  /** Nor where no posters are wanted. */
  readonly posters: PosterCutter | undefined;
}

const noCutters: Cutters = { frames: undefined, posters: undefined };
const maxFrameBytes = 20_000_000;

/** Searched for once, at the start. */
const decoderOf = ({
  FFMPEG_PATH: programPath,
  PATH: searchPath,
}: Readonly<Settings>): Promise<Decoder | undefined> =>
  findDecoder({ programPath: programPath === '' ? undefined : programPath, searchPath });

const cuttersWith = async (
  decoder: Decoder,
  { LAST_FRAME_TIMEOUT_MS: timeoutMs, MAKE_POSTERS: makesPosters }: Readonly<Settings>,
): Promise<Cutters> => ({
  frames: await createFrameCutter({ decoder, timeoutMs, maxBytes: maxFrameBytes }),
  posters: makesPosters ? await createPosterCutter({ decoder }) : undefined,
});

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
