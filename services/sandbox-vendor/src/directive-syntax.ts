/** What may stand after the equals sign of a directive, and its bounds. */
export interface Argument {
  readonly unit: 'seconds' | 'count' | 'whole seconds';
  readonly min: number;
  readonly max: number;
}

export interface DirectiveSpec {
  readonly when: string;
  readonly argument?: Argument;
  readonly description: string;
}

/** The directives that one kind of prompt may hold, by name. */
export type DirectiveTable = Readonly<Record<string, DirectiveSpec>>;

/** The directives found in one prompt; one without an argument has the value 1. */
export type Found<Table extends DirectiveTable> = Readonly<
  Partial<Record<keyof Table & string, number>>
>;

/** A directive as `GET /` shows it. */
export interface ListedDirective {
  readonly directive: string;
  readonly when: string;
  readonly description: string;
}

export const directivePattern = /\[([a-z][a-z0-9-]*)(?:=([^\]\s]*))?\]/g;

/**
 * The directives in a prompt and, when one is written wrong, what would be right. Other words in
 * brackets are part of the prompt; of a repeated directive the last one counts.
 */
export function readDirectives<Table extends DirectiveTable>(
  table: Table,
  prompt: string,
): { readonly directives: Found<Table>; readonly problem?: string } {
  const found: Record<string, number> = {};
  for (const [written, name = '', given] of prompt.matchAll(directivePattern)) {
    const spec = Object.hasOwn(table, name) ? table[name] : undefined;
    if (spec === undefined) continue;
    const value = readArgument(spec, given);
    if (value === undefined) {
      return {
        directives: {} as Found<Table>,
        problem: `${written} is not a directive; ${usageOf(name, spec)}`,
      };
    }
    found[name] = value;
  }
  return { directives: found as Found<Table> };
}

function readArgument({ argument }: DirectiveSpec, given: string | undefined): number | undefined {
  if (argument === undefined) return given === undefined ? 1 : undefined;
  if (given === undefined || !/^\d{1,6}(\.\d{1,3})?$/.test(given)) return undefined;
  const value = Number(given);
  if (argument.unit !== 'seconds' && !Number.isInteger(value)) return undefined;
  return value >= argument.min && value <= argument.max ? value : undefined;
}

/** How a directive is written, for people. */
function exampleOf(name: string, { argument }: DirectiveSpec): string {
  return argument === undefined
    ? `[${name}]`
    : `[${name}=${argument.unit === 'count' ? 'N' : 'SECONDS'}]`;
}

function usageOf(name: string, spec: DirectiveSpec): string {
  const { argument } = spec;
  return argument === undefined
    ? `write ${exampleOf(name, spec)}`
    : `write ${exampleOf(name, spec)} with ${argument.unit} from ${argument.min} to ${argument.max}`;
}

/** A table as `GET /` shows it. */
export const listDirectives = (table: DirectiveTable): readonly ListedDirective[] =>
  Object.entries(table).map(([name, spec]) => ({
    directive: exampleOf(name, spec),
    when: spec.when,
    description: spec.description,
  }));
