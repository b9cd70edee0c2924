import { refusedArchive } from './refused-archive.ts';
import { refusedEndpoints } from './refused-endpoints.ts';
import { refusedSessions } from './refused-sessions.ts';
import { refusedTries } from './refused-tries.ts';

/** What the database refuses beside the tables of tasks, money and usage. */
export const refusedElsewhere = [
  ...refusedTries,
  ...refusedArchive,
  ...refusedSessions,
  ...refusedEndpoints,
];
