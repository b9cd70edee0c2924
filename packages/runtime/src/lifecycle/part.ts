/** Something that is started with the service and stopped with it. */
export interface Part {
  readonly name: string;
  start?(): Promise<void>;
  stop(): Promise<void>;
}
