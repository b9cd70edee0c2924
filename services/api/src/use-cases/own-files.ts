import type { ReferenceSource, WrittenReference } from '@gateway/contracts';

type OwnSource = Extract<ReferenceSource, { type: 'asset' | 'task' }>;

/** A file of the account's own as a task names it, and how long it is where that is known. */
export interface OwnFile {
  readonly source: OwnSource;
  readonly durationSeconds: number | null;
}

/** The references that name files of the account's own. */
export type OwnFiles = ReadonlyMap<WrittenReference, OwnFile>;
