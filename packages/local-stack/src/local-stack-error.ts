export type LocalStackProblem =
  | 'already_running'
  | 'cancelled'
  | 'command_failed'
  | 'folder_not_usable'
  | 'not_ready'
  | 'port_in_use'
  | 'server_not_startable'
  | 'wrong_usage';

/**
 * A failure that a person can do something about. The message is for them: what is wrong, and the
 * remedy.
 */
export class LocalStackError extends Error {
  override readonly name = 'LocalStackError';
  readonly code: LocalStackProblem;

  constructor(code: LocalStackProblem, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }

  /** Works across realms, where instanceof does not. */
  static is(value: unknown): value is LocalStackError {
    return (
      typeof value === 'object' &&
      value !== null &&
      'name' in value &&
      value.name === 'LocalStackError'
    );
  }
}

/** The sentence of anything thrown. */
export function messageOf(thrown: unknown): string {
  return typeof thrown === 'object' && thrown !== null && 'message' in thrown
    ? String(thrown.message)
    : String(thrown);
}

/** The `code` of a Node system error (`ENOENT`, `EADDRINUSE`), if it has one. */
export function codeOf(thrown: unknown): string | undefined {
  return typeof thrown === 'object' && thrown !== null && 'code' in thrown
    ? String(thrown.code)
    : undefined;
}
