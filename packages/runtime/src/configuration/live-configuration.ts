import { setTimeout as delay } from 'node:timers/promises';
import type { Configuration, ConfigurationStanding } from '@gateway/contracts';
import { describeError } from '@gateway/domain';
import {
  hasChanged,
  readConfigurationFile,
  type ConfigurationFile,
  type ConfigurationReading,
} from './configuration-file.ts';
import { intervalPart } from '../lifecycle/interval.ts';
import type { Part } from '../lifecycle/part.ts';
import type { Log } from '../log.ts';
import { Counter, Gauge, type Registry } from '../metrics/metrics.ts';
import { createRetirementReport } from './retirements.ts';
import { createVersionHistory, type VersionHistory } from './standing.ts';
import { SettingsError } from '../settings/settings.ts';

/** The operator's file as it is now. */
export interface LiveConfiguration {
  /**
   * The version in use, which never changes itself: whoever works on a request or a step takes it
   * once and keeps it to the end.
   */
  current(): Configuration;
  /** Which version that is, and which was refused last. */
  standing(): ConfigurationStanding;
  /** The part that takes changed versions over while the service runs. */
  watch(options: WatchOptions): Part;
}

export interface WatchOptions {
  readonly log: Log;
  readonly metrics: Registry;
  /**
   * Makes ready what the service derives from a version, before anybody works with it; one that
   * this throws for is refused.
   */
  readonly prepare?: (configuration: Configuration) => void;
  /** Called when a version has taken the place of the one before. */
  readonly onTaken?: (configuration: Configuration) => void;
}

export interface LiveConfigurationOptions extends ConfigurationFile {
  /** How often the file is compared with what was read. */
  readonly everyMs?: number;
  /**
   * A changed file is taken when it has stayed the same for so long: editors and copies write in
   * pieces.
   */
  readonly settleMs?: number;
}

/** Reads the operator's file, or throws a SettingsError that names every problem with its line. */
export function openConfiguration({
  everyMs = 2_000,
  settleMs = 200,
  ...file
}: LiveConfigurationOptions): LiveConfiguration {
  const first = readConfigurationFile(file);
  if (first.configuration === undefined) {
    throw new SettingsError(
      `The configuration cannot be used:\n${first.problems.map((problem) => `  ${problem}`).join('\n')}`,
    );
  }
  let current = first.configuration;
  const versions = createVersionHistory(first.hash, () => new Date());
  return {
    current: () => current,
    standing: versions.now,
    watch: (options) =>
      watchFile(
        {
          file,
          first,
          everyMs,
          settleMs,
          versions,
          swap: (configuration) => {
            current = configuration;
          },
        },
        options,
      ),
  };
}

interface Watched {
  readonly file: ConfigurationFile;
  readonly first: ConfigurationReading;
  readonly everyMs: number;
  readonly settleMs: number;
  readonly versions: VersionHistory;
  readonly swap: (configuration: Configuration) => void;
}

/**
 * Compares contents every now and then, and at once on SIGHUP: file events are lost on network and
 * ConfigMap mounts.
 */
function watchFile(
  { file, first, everyMs, settleMs, versions, swap }: Watched,
  { log, metrics, prepare, onTaken }: WatchOptions,
): Part {
  const report = createReport(log, metrics);
  const reportRetirements = createRetirementReport(log, metrics);
  let seen = first;
  const checkFile = async (): Promise<void> => {
    if (!hasChanged(seen)) return;
    const reading = readConfigurationFile(file);
    await delay(settleMs);
    if (hasChanged(reading)) return; // still being written: the next check
    seen = reading;
    const problems = problemsOf(reading, prepare);
    if (reading.configuration === undefined || problems.length > 0) {
      versions.refused(reading.hash, problems);
      report.refused(problems);
      return;
    }
    swap(reading.configuration);
    versions.taken(reading.hash);
    onTaken?.(reading.configuration);
    report.taken(reading.hash);
    reportRetirements(reading.configuration);
  };
  const { check: checkInTurn, idle } = oneAtATime(checkFile);
  const polling = intervalPart({
    name: 'check the configuration',
    everyMs,
    work: checkInTurn,
    log,
  });
  const onSignal = (): void => {
    void checkInTurn().catch((error: unknown) => {
      log.error('configuration could not be checked', { error });
    });
  };
  return {
    name: 'configuration',
    start() {
      report.started(first.hash);
      if (first.configuration !== undefined) reportRetirements(first.configuration);
      process.on('SIGHUP', onSignal);
      return polling.start?.() ?? Promise.resolve();
    },
    async stop() {
      process.off('SIGHUP', onSignal);
      await polling.stop();
      await idle();
    },
  };
}

function problemsOf(
  { configuration, problems }: ConfigurationReading,
  prepare: WatchOptions['prepare'],
): readonly string[] {
  if (configuration === undefined) return problems;
  try {
    prepare?.(configuration);
    return [];
  } catch (error) {
    return [describeError(error)];
  }
}

/** A check asked for while one is under way comes after it: what changed meanwhile is seen. */
function oneAtATime(checkOnce: () => Promise<void>): {
  check: () => Promise<void>;
  idle: () => Promise<void>;
} {
  let last = Promise.resolve();
  return {
    check() {
      const next = last.catch(() => undefined).then(checkOnce);
      last = next;
      return next;
    },
    idle: () => last.catch(() => undefined),
  };
}

/** Which version is in use, and how the last change went: for the log and for /metrics. */
function createReport(
  log: Log,
  metrics: Registry,
): {
  started(hash: string): void;
  taken(hash: string): void;
  refused(problems: readonly string[]): void;
} {
  const registers = [metrics];
  const version = new Gauge({
    name: 'gateway_configuration_info',
    help: 'The version of the configuration in use: the hash of its file.',
    labelNames: ['hash'],
    registers,
  });
  const loadedAt = new Gauge({
    name: 'gateway_configuration_loaded_timestamp_seconds',
    help: 'When the version in use was loaded.',
    registers,
  });
  const sound = new Gauge({
    name: 'gateway_configuration_last_reload_successful',
    help: '0 while the file on disk is rejected and an earlier version stays in use.',
    registers,
  });
  const failures = new Counter({
    name: 'gateway_configuration_reload_failures_total',
    help: 'Changed versions of the configuration that were rejected.',
    registers,
  });
  let inUse = '';
  const use = (hash: string): { hash: string; loadedAt: string } => {
    const now = new Date();
    inUse = hash;
    version.reset();
    version.set({ hash }, 1);
    loadedAt.set(now.getTime() / 1_000);
    sound.set(1);
    return { hash, loadedAt: now.toISOString() };
  };
  return {
    started(hash) {
      log.info('configuration in use', use(hash));
    },
    taken(hash) {
      const before = inUse;
      log.info('configuration applied', { ...use(hash), before });
    },
    refused(problems) {
      failures.inc();
      sound.set(0);
      log.error('configuration refused, the previous version stays in use', {
        hash: inUse,
        problems,
      });
    },
  };
}

/**
 * What a service derives from a version, once for each; a request asks for it once and so keeps to
 * one version.
 */
export function perVersion<Built>(
  { current }: Pick<LiveConfiguration, 'current'>,
  build: (configuration: Configuration) => Built,
): (configuration?: Configuration) => Built {
  const known = new WeakMap<Configuration, { readonly built: Built }>();
  return (configuration = current()) => {
    let entry = known.get(configuration);
    if (entry === undefined) known.set(configuration, (entry = { built: build(configuration) }));
    return entry.built;
  };
}
