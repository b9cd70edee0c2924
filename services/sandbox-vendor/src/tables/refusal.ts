/** Why a simulated vendor refuses, whatever its words and codes for it are. */
export const refusalNames = [
  'invalid',
  'moderated',
  'rateLimited',
  'busy',
  'overdue',
  'unauthorized',
  'noModel',
  'notFound',
  'notCancellable',
  'internal',
] as const;
export type RefusalName = (typeof refusalNames)[number];

/** HTTP status, the vendor's code, its sentence, and headers where it sends some. */
export type RefusalEntry = readonly [
  status: number,
  code: string | number,
  message: string,
  headers?: Readonly<Record<string, string>> | undefined,
];
export type RefusalTable = Readonly<Record<RefusalName, RefusalEntry>>;

/** A refusal in one vendor's words. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly code: string | number;
  readonly headers: Readonly<Record<string, string>>;
  /** The field that is wrong, of a vendor that names it. */
  readonly field: string | undefined;

  constructor([status, code, message, headers = {}]: RefusalEntry, field?: string) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
    this.field = field;
  }
}

/** What one refusal says in place of the table's words. */
export interface RefusalWords {
  readonly code?: string | number;
  readonly status?: number;
  readonly field?: string;
}

/** Makes the refusals of a vendor; with a sentence, it takes the place of the table's. */
export type Refuse = (name: RefusalName, sentence?: string, words?: RefusalWords) => Refusal;

export const refuseBy =
  (table: RefusalTable): Refuse =>
  (name, sentence, { field, ...words } = {}) => {
    const [status, code, message, headers] = table[name];
    return new Refusal(
      [words.status ?? status, words.code ?? code, sentence ?? message, headers],
      field,
    );
  };

/** What the rest of the sandbox throws, and what Express does, in the vendor's words. */
export function asRefusal(thrown: unknown, table: RefusalTable): Refusal {
  if (thrown instanceof Refusal) return thrown;
  const { status = 500, message = '' } = (thrown ?? {}) as { status?: number; message?: string };
  const sameStatus = refusalNames.map((name) => table[name]).find(([one]) => one === status);
  const [, code] = sameStatus ?? table[status < 500 ? 'invalid' : 'internal'];
  return new Refusal([status, code, message]);
}
