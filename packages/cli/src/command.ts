import { UsageError } from './exit-codes.ts';
import type { Terminal } from './terminal.ts';

/** An option of a command. */
export interface Option {
  readonly help: string;
  /** What the help calls its value; without it the option is a flag. */
  readonly value?: string;
  readonly short?: string;
  /** May be given several times. */
  readonly multiple?: boolean;
  /** What a shell offers for the value; `files`: names of files. */
  readonly words?: readonly string[] | 'files';
}

export interface Argument {
  readonly name: string;
  readonly help: string;
  readonly required: boolean;
  /** What a shell offers for it; `files`: names of files. */
  readonly words?: readonly string[] | 'files';
}

/** One of the things that `gw` does. */
export interface Command {
  /** With its group, such as `videos list`. */
  readonly name: string;
  readonly summary: string;
  readonly examples: readonly string[];
  readonly argument?: Argument;
  /** Behind the argument. */
  readonly second?: Argument;
  readonly options: Readonly<Record<string, Option>>;
  /** Returns the exit code; `commands` are all that there are. */
  readonly run: (given: Given, terminal: Terminal, commands: readonly Command[]) => Promise<number>;
}

/** Options of every command. */
export const commonOptions: Readonly<Record<string, Option>> = {
  json: { help: 'print JSON, for programs' },
  help: { help: 'say what the command does', short: 'h' },
};

export type Values = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;

/** What the command line says. */
export class Given {
  readonly argument: string | undefined;
  readonly #values: Values;
  readonly #second: string | undefined;

  constructor(values: Values, argument?: string, second?: string) {
    this.#values = values;
    this.argument = argument;
    this.#second = second;
  }

  get json(): boolean {
    return this.flag('json');
  }

  /** The argument, where the command requires one. */
  get theArgument(): string {
    if (this.argument === undefined) throw new UsageError('The argument is missing.');
    return this.argument;
  }

  /** The second one, where the command requires two. */
  get theSecond(): string {
    if (this.#second === undefined) throw new UsageError('The second argument is missing.');
    return this.#second;
  }

  get hasSecond(): boolean {
    return this.#second !== undefined;
  }

  flag(name: string): boolean {
    return this.#values[name] === true;
  }

  text(name: string): string | undefined {
    const value = this.#values[name];
    return typeof value === 'string' ? value : undefined;
  }

  texts(name: string): readonly string[] {
    const value = this.#values[name];
    return Array.isArray(value) ? value.map(String) : [];
  }

  /** Of these options those that were given, for a filter. */
  only<Name extends string>(...names: readonly Name[]): { [Each in Name]?: string } {
    const found = names.map((name) => [name, this.text(name)] as const);
    return Object.fromEntries(found.filter(([, text]) => text !== undefined)) as {
      [Each in Name]?: string;
    };
  }

  whole(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (!/^-?\d{1,15}$/.test(text)) {
      throw new UsageError(`--${name} takes a whole number, not "${text}".`);
    }
    return Number(text);
  }
}
