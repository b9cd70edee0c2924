import type { Budget } from './budget.ts';
import type { Gateway, Json, Video } from './gateway.ts';
import { ToolError } from './gateway.ts';

/** The files of the machine that an agent's tools run on. */
export interface LocalFiles {
  /** What a file holds, and its name and type. Throws where it may not be read. */
  read(path: string): Promise<{
    readonly bytes: Uint8Array<ArrayBuffer>;
    readonly name: string;
    readonly contentType: string;
  }>;
  /** Throws unless a video may be put there: better known before it is paid for. */
  check(path: string): Promise<void>;
  /** Puts the file of a finished video there; returns where that is. */
  save(video: Video, path: string, signal: AbortSignal): Promise<string>;
}

/** What tools work with: one connection of one agent. */
export interface Connection {
  readonly gateway: Gateway;
  readonly budget: Budget;
  /** Absent where tools run far from the agent's files. */
  readonly files?: LocalFiles | undefined;
  readonly newKey: () => string;
}

/** One call of a tool. */
export interface Call {
  readonly args: Arguments;
  readonly signal: AbortSignal;
  /** Tells the client how far it is, where it wants to know. */
  readonly progress: (message: string) => void;
}

/** What a tool says: a resource of the gateway, and a sentence about what to do next. */
export interface Said {
  readonly resource: Json;
  readonly hint?: string | undefined;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Json;
  readonly annotations: Json;
  readonly run: (connection: Connection, call: Call) => Promise<Said>;
}

/** The arguments of a call, read field by field; what is left goes to the gateway, which judges it. */
export class Arguments {
  readonly #given: Json;
  readonly #taken = new Set<string>();

  constructor(given: Json) {
    this.#given = given;
  }

  text(name: string): string | undefined {
    const value = this.#take(name);
    if (value === undefined || typeof value === 'string') return value;
    throw new ToolError('invalid_parameter', `${name} must be a string`, name);
  }

  requiredText(name: string): string {
    const value = this.text(name);
    if (value !== undefined && value !== '') return value;
    throw new ToolError('missing_parameter', `${name} is required`, name);
  }

  whole(name: string, { least, most }: { readonly least: number; readonly most: number }) {
    const value = this.#take(name);
    if (value === undefined) return undefined;
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) {
      return value;
    }
    const range = `an integer between ${least} and ${most}`;
    throw new ToolError('invalid_parameter', `${name} must be ${range}`, name);
  }

  /** Everything that nobody has asked for. */
  rest(): Json {
    return Object.fromEntries(
      Object.entries(this.#given).filter(([name]) => !this.#taken.has(name)),
    );
  }

  /** Throws for what nobody has asked for: a mistyped argument would do nothing. */
  end(): void {
    const [unknown] = Object.keys(this.rest());
    if (unknown === undefined) return;
    const param = unknown.slice(0, 80);
    throw new ToolError('unknown_parameter', `${JSON.stringify(param)} is no argument`, param);
  }

  #take(name: string): unknown {
    this.#taken.add(name);
    return Object.hasOwn(this.#given, name) ? this.#given[name] : undefined;
  }
}
