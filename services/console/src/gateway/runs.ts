import { newIdempotencyKey, type Video, type VideoFilter } from '@gateway/client';

/** The fields of a video's metadata by which the playground finds what belongs together. */
export const runField = 'console_run';
export const columnField = 'console_column';

/** Creations are sent again for so long after somebody clicked. */
export const resumedForMs = 15 * 60_000;
const slackMs = 60_000;

/** The name of a run says when it was made and of how many columns it is, so it is found without a walk. */
export const newRun = (now: number, columns: number): string =>
  [Math.floor(now / 1_000).toString(36), columns, newIdempotencyKey().slice(-8)].join('-');

export interface RunPlace {
  /** What the gateway is asked for. */
  readonly filter: VideoFilter;
  readonly columns: number;
  /** How many pages are read at most. */
  readonly mostPages: number;
}

/** Where the videos of a run are found; of a name that says nothing, only the newest are looked through. */
export function placeOf(run: string): RunPlace {
  const metadata = { [runField]: run };
  const [, moment, columns] = /^([0-9a-z]{6,8})-([1-9])-/.exec(run) ?? [];
  if (moment === undefined) return { filter: { metadata }, columns: 1, mostPages: 1 };
  const madeAt = Number.parseInt(moment, 36) * 1_000;
  return {
    filter: {
      metadata,
      created_after: new Date(madeAt - slackMs).toISOString(),
      created_before: new Date(madeAt + resumedForMs + slackMs).toISOString(),
    },
    columns: Number(columns),
    mostPages: 20,
  };
}

const columnOf = ({ metadata }: Video): number => Number(metadata[columnField] ?? 0);

/** The videos of a run in the order of their columns. */
export const inColumns = (videos: readonly Video[]): Video[] =>
  videos.toSorted((one, other) => columnOf(one) - columnOf(other));
