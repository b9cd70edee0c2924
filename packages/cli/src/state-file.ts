import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import type { VideoRequest } from '@gateway/client';
import { CommandError } from './exit-codes.ts';
import { writeNew, writeWhole } from './files.ts';

/** What is known of a video that a command has begun and not finished. */
export interface Unfinished {
  readonly version: 1;
  readonly created_at: string;
  readonly idempotency_key: string;
  /** What was sent, or is about to be: a repetition has to be the same to the letter. */
  readonly request: VideoRequest;
  /** Absent until the gateway has answered. */
  readonly video_id?: string | undefined;
}

/** What makes a command the same as an earlier one, whatever it is. */
export type Identity = Readonly<Record<string, unknown>>;

/** The gateway forgets a key after a day; later the same key would make another video. */
const keyIsGoodForMs = 23 * 3_600_000;

/** Whether the gateway surely knows the key still, so that asking again makes no second video. */
export const mayAskAgain = ({ created_at: createdAt }: Unfinished, now: number): boolean =>
  now - Date.parse(createdAt) < keyIsGoodForMs;

/** The file of one command, from before its request is sent until its video is on disk. */
export class StateFile {
  readonly path: string;

  constructor(folder: string, identity: Identity) {
    const name = createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 32);
    this.path = path.join(folder, 'videos', `${name}.json`);
  }

  async read(): Promise<Unfinished | undefined> {
    let text: string;
    try {
      text = await readFile(this.path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
    const state = parsed(text);
    if (state === undefined) {
      throw new CommandError(
        `${this.path} is not what gw has written. See what there is with "gw videos list", then remove the file or add --new.`,
      );
    }
    return state;
  }

  /** Begins a video, unless somebody who runs the same command has just done so: false. */
  begin(state: Unfinished): Promise<boolean> {
    return writeNew(this.path, `${JSON.stringify(state)}\n`);
  }

  /** Whole, and on disk, when this resolves. */
  write(state: Unfinished): Promise<void> {
    return writeWhole(this.path, `${JSON.stringify(state)}\n`);
  }

  remove(): Promise<void> {
    return rm(this.path, { force: true });
  }
}

function parsed(text: string): Unfinished | undefined {
  try {
    const state = JSON.parse(text) as Partial<Unfinished> | null;
    return state?.version === 1 &&
      typeof state.idempotency_key === 'string' &&
      typeof state.created_at === 'string' &&
      typeof state.request === 'object'
      ? (state as Unfinished)
      : undefined;
  } catch {
    return undefined;
  }
}
