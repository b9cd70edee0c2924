import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import pg from 'pg';
import { PrismaPg } from '@prisma/adapter-pg';
import { concurrentIndexOf, isMigrating, markCommitted } from './migrate-history.ts';
import * as engineModule from '@prisma/schema-engine-wasm/schema_engine_bg';
import type {
  DiffTarget,
  MigrationList,
  SchemaEngine,
} from '@prisma/schema-engine-wasm/schema_engine_bg';

/**
 * The folder that holds schema.prisma and migrations/, from the source as from the compiled file.
 */
export const prismaFolder = import.meta.dirname.endsWith('dist')
  ? path.dirname(import.meta.dirname)
  : import.meta.dirname;

export const noFilters = { externalTables: [], externalEnums: [] };

/**
 * Prisma's schema engine as WebAssembly on our own database driver: the real migration history
 * without any download. Once a process: its glue code keeps one instance. `onRefusal` hears what
 * the database said to a script; the engine's own error hides it.
 */
export async function openEngine(
  databaseUrl: string,
  onRefusal: (error: unknown) => void = () => undefined,
): Promise<SchemaEngine> {
  const file = new URL(
    import.meta
      .resolve('@prisma/schema-engine-wasm')
      .replace(/schema_engine\.js$/, 'schema_engine_bg.wasm'),
  );
  const compiled = await WebAssembly.compile(new Uint8Array(await readFile(file)));
  const instance = await WebAssembly.instantiate(compiled, {
    './schema_engine_bg.js': engineModule as unknown as WebAssembly.ModuleImports,
  });
  // The engine hands its panic message to this global before it traps.
  Object.assign(globalThis, {
    PRISMA_WASM_PANIC_REGISTRY: {
      set_message: (message: string) => {
        process.stderr.write(`schema engine: ${message}\n`);
      },
    },
  });
  engineModule.__wbg_set_wasm(instance.exports);
  (instance.exports as { __wbindgen_start: () => void }).__wbindgen_start();
  const adapter = bindMigrationAwareSqlAdapterFactory(wholeScripts(databaseUrl, onRefusal));
  return engineModule.SchemaEngine.new(
    { datamodels: [['schema.prisma', await schemaText()]] },
    () => undefined,
    adapter,
  );
}

/** A migration that waits for a lock makes everybody wait who comes after it: it gives up, and is tried again. */
const lockTimeout = '4s';

/**
 * The adapter would cut a script at every semicolon, also inside functions. One simple query runs
 * it whole, and as one transaction: a migration is applied or it is not. What builds an index beside
 * others is no transaction, makes nobody wait, and waits for those that are under way.
 */
function wholeScripts(databaseUrl: string, onRefusal: (error: unknown) => void): PrismaPg {
  const pool = new pg.Pool({ connectionString: databaseUrl, application_name: 'gateway migrate' });
  const factory = new PrismaPg(pool);
  const connect = factory.connect.bind(factory);
  factory.connect = async () => {
    const adapter = await connect();
    adapter.executeScript = async (script) => {
      const client = await pool.connect();
      try {
        const isConcurrent = concurrentIndexOf(script) !== undefined;
        await client.query(`SET lock_timeout = '${isConcurrent ? '0' : lockTimeout}'`);
        const isMarked = !isConcurrent && (await isMigrating(client));
        await client.query(isMarked ? markCommitted(script) : script);
      } catch (error) {
        onRefusal(error);
        throw error;
      } finally {
        client.release();
      }
    };
    return adapter;
  };
  return factory;
}

const schemaText = (): Promise<string> =>
  readFile(path.join(prismaFolder, 'schema.prisma'), 'utf8');

/** The migrations folder, in the order of its names, as the engine wants it. */
export async function loadMigrations(): Promise<MigrationList> {
  const baseDir = path.join(prismaFolder, 'migrations');
  const names = (await readdir(baseDir, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
  const migrationDirectories = await Promise.all(
    names.map(async (name) => {
      const content = await readFile(path.join(baseDir, name, 'migration.sql'), 'utf8');
      return {
        path: name,
        migrationFile: { path: 'migration.sql', content: { tag: 'ok' as const, value: content } },
      };
    }),
  );
  const lockfile = await readFile(path.join(baseDir, 'migration_lock.toml'), 'utf8');
  return {
    baseDir,
    lockfile: { path: 'migration_lock.toml', content: lockfile },
    shadowDbInitScript: '',
    migrationDirectories,
  };
}

/**
 * SQL that leads from the text of a former schema file to schema.prisma; an empty text stands for
 * an empty database.
 */
export async function sqlFrom(engine: SchemaEngine, formerSchema: string): Promise<string> {
  const from: DiffTarget =
    formerSchema.trim() === ''
      ? { tag: 'empty' }
      : { tag: 'schemaDatamodel', files: [{ path: 'schema.prisma', content: formerSchema }] };
  const to: DiffTarget = {
    tag: 'schemaDatamodel',
    files: [{ path: 'schema.prisma', content: await schemaText() }],
  };
  const { stdout } = await engine.diff({
    from,
    to,
    script: true,
    exitCode: null,
    filters: noFilters,
  });
  return stdout ?? '';
}
