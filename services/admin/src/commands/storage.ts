import {
  createSeenKeys,
  filedFolders,
  findMissing,
  mostMissing,
  readOwner,
  takeSample,
  writeOwner,
} from '@gateway/media';
import { UsageError, type Command, type CommandPorts } from '../command.ts';

type Values = Readonly<Record<string, string | undefined>>;

function numberOf(
  values: Values,
  option: string,
  { usual = '', most }: { readonly usual?: string; readonly most: number },
): number {
  const text = values[option] ?? usual;
  const value = Number(text);
  if (!/^\d{1,9}$/.test(text) || value < 1 || value > most) {
    throw new UsageError(
      `--${option} must be a whole number from 1 to ${most}; got ${JSON.stringify(text)}`,
    );
  }
  return value;
}

export const storageAdopt: Command = {
  help: 'Show whose the media storage is; with --yes make it this database’s',
  example: 'storage adopt --yes',
  options: { yes: { required: false, flag: true, help: 'write it; without it nothing changes' } },
  async run(values, { openStorage, installation }) {
    const storage = await openStorage();
    const [id, owner] = [await installation.id(), (await readOwner(storage)) ?? null];
    const sample = await takeSample(storage, installation);
    const isOurs = owner === id;
    const adopts = !isOurs && values['yes'] === 'true';
    if (adopts) await writeOwner(storage, id);
    return {
      ok: true,
      lines: [
        `the storage belongs to ${owner ?? 'nobody'}`,
        `this database is installation ${id}`,
        `it knows ${sample.known} of ${sample.files} files that were looked at`,
        isOurs
          ? 'nothing to do: the storage is this database’s'
          : adopts
            ? 'the storage is this database’s now'
            : 'nothing changed; with --yes the storage becomes this database’s: services on another database refuse to start on it, and its sweeps remove old files that this database does not know',
      ],
      data: { owner, installation: id, sample, adopted: adopts },
    };
  },
};

const usualListed = '100';
const mostListed = 100_000;
const hourMs = 3_600_000;
const pageSize = 500;

export const storageOrphans: Command = {
  help: 'List files of tasks that no row names, which a sweep would remove',
  example: 'storage orphans --limit 20',
  options: {
    limit: { required: false, help: `files to show (default ${usualListed})` },
    hours: { required: false, help: 'only files older than this (default 24)' },
  },
  async run(values, ports) {
    const limit = numberOf(values, 'limit', { usual: usualListed, most: mostListed });
    const before =
      Date.now() - numberOf(values, 'hours', { usual: '24', most: 1_000_000 }) * hourMs;
    const { shown, ...counts } = await findOrphans(ports, { limit, before });
    return {
      ok: true,
      lines: [
        ...shown.map(
          ({ key, modifiedAt, isOfKnownTask }) =>
            `${modifiedAt}  ${isOfKnownTask ? 'known task  ' : 'unknown task'}  ${key}`,
        ),
        `${counts.orphans} of ${counts.files} files belong to no row, ${counts.unknown} of them to no task that this database knows`,
      ],
      data: { ...counts, shown },
    };
  },
};

interface ShownOrphan {
  readonly key: string;
  readonly modifiedAt: string;
  readonly isOfKnownTask: boolean;
}

async function findOrphans(
  { openStorage, retention }: CommandPorts,
  { limit, before }: { readonly limit: number; readonly before: number },
) {
  const storage = await openStorage();
  const counts = { files: 0, orphans: 0, unknown: 0 };
  const shown: ShownOrphan[] = [];
  const judge = async (page: ReadonlyMap<string, Date>): Promise<void> => {
    for (const { key, isOfKnownTask } of await retention.findOrphans([...page.keys()])) {
      counts.orphans += 1;
      if (!isOfKnownTask) counts.unknown += 1;
      if (shown.length >= limit) continue;
      shown.push({ key, modifiedAt: page.get(key)?.toISOString() ?? '', isOfKnownTask });
    }
  };
  for (const folder of ['videos', 'frames', 'inputs']) {
    let page = new Map<string, Date>();
    for await (const { key, modifiedAt } of storage.list(folder)) {
      counts.files += 1;
      if (modifiedAt.getTime() < before) page.set(key, modifiedAt);
      if (page.size < pageSize) continue;
      await judge(page);
      page = new Map();
    }
    await judge(page);
  }
  return { ...counts, shown };
}

const mostHours = 720;

export const storageAllowSweep: Command = {
  help: 'Let sweeps of the storage remove so many files, however large a share that is',
  example: 'storage allow --files 1200',
  options: {
    files: { required: true, help: 'as many as storage orphans has counted' },
    hours: { required: false, help: `how long it is allowed (default 24, at most ${mostHours})` },
  },
  async run(values, { installation }) {
    const { files, until } = await installation.allowSweep(
      numberOf(values, 'files', { most: 100_000_000 }),
      numberOf(values, 'hours', { usual: '24', most: mostHours }),
    );
    return {
      ok: true,
      lines: [`sweeps may remove up to ${files} files until ${until.toISOString()}`],
      data: { files, until: until.toISOString() },
    };
  },
};

export const storageVerify: Command = {
  help: 'Check that every file that a row names is there; exit code 1 if one is missing',
  example: 'storage verify --json',
  options: {},
  async run(_values, { openStorage, namedFiles }) {
    const storage = await openStorage();
    const seen = createSeenKeys();
    let files = 0;
    for (const folder of filedFolders) {
      for await (const { key } of storage.list(folder)) {
        seen.add(key);
        files += 1;
      }
    }
    const missing = await findMissing(seen, { named: namedFiles, exists: storage.exists });
    const ok = missing.length === 0;
    return {
      ok,
      lines: [
        ...missing.map(({ id, key }) => `MISSING ${id}: ${key}`),
        ok
          ? `every file that a row names is there; the storage has ${files} files`
          : `${missing.length}${missing.length < mostMissing ? '' : ' or more'} files that rows name are missing; the storage has ${files} files`,
      ],
      data: { ok, files, missing },
    };
  },
};
