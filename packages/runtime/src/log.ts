/** What code may do with a logger: a constant sentence, and the variables as fields. */
export interface Log {
  error(message: string, fields?: object): void;
  warn(message: string, fields?: object): void;
  info(message: string, fields?: object): void;
  debug(message: string, fields?: object): void;
}
