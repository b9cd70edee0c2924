import type { SpoolFiles } from '../../../../services/api/src/adapters/spool-folder.ts';
import type { Life } from '../../world/life.ts';
import type { World } from '../../world/world.ts';
import type { TextReplica } from './replica.ts';
import type { Served, Wish } from './request.ts';

/** How often an upstream does what upstreams do. All are 0 in calm. */
export interface UpstreamMood {
  /** It fails before its first byte. */
  refused: number;
  /** It fails in the middle. */
  brokenOff: number;
}

/** What a client knows of one request. */
export interface TextExperience {
  readonly wish: Wish;
  told: 'nothing' | 'the completion' | 'a failure' | 'a refusal';
  /** The code of the refusal. */
  code: string | undefined;
}

/** Text in a world: who asks for it, who serves it, and what is true of it. */
export interface TextWorld {
  readonly mood: UpstreamMood;
  readonly accounts: TextAccount[];
  readonly replicas: Map<string, TextReplica>;
  readonly served: Served[];
  readonly experiences: TextExperience[];
  readonly spool: Map<string, string>;
  /** Clients that have not asked for everything yet. */
  waiting: number;
}

export interface TextAccount {
  readonly id: string;
  /** Has more than it can ever spend. */
  readonly isRich: boolean;
  /** All of its top-ups. */
  toppedUp: number;
}

export const createTextWorld = (mood: UpstreamMood): TextWorld => ({
  mood,
  accounts: [],
  replicas: new Map(),
  served: [],
  experiences: [],
  spool: new Map(),
  waiting: 0,
});

/** One folder that all replicas share, and that outlives them. */
export const spoolFilesOf = (world: World, life: Life, files: Map<string, string>): SpoolFiles => {
  const reach = async <Result>(work: () => Result): Promise<Result> => {
    if (!life.isAlive()) return new Promise(() => undefined);
    await life.pause(world.dice.between(1, 20));
    return work();
  };
  return {
    open: () => Promise.resolve(),
    names: () => reach(() => [...files.keys()]),
    read: (name) => reach(() => files.get(name)),
    write: (name, text) => reach(() => void files.set(name, text)),
    remove: (name) => reach(() => void files.delete(name)),
    placeOf: (name) => name,
  };
};
