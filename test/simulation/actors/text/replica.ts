/** What an outsider saw of one life of the api. */
export interface TextReplica {
  readonly id: string;
  /** When writes of open usage began that the replica knows to be done. */
  readonly keptAt: number[];
  /** When the database had heard of it, at the earliest. */
  readonly heardAt: number[];
  endedAt: number | undefined;
  /** It was stopped in order: nothing may be lost. */
  isStopped: boolean;
}
