import type { DirectiveTable } from '../directive-syntax.ts';
import type { failures } from '../tasks/outcome.ts';
import type { Task, TaskFailure, TaskStatus } from '../tasks/task.ts';
import type { VendorCore } from '../tasks/vendor.ts';
import type { Refusal, RefusalTable, Refuse } from './refusal.ts';

/** A vendor as data: its paths, words and tables. Tasks, directives, limits and files are shared. */
export interface VendorTable<Body = never> {
  /** The name of its wire format, which its tasks carry. */
  readonly format: string;
  /** The path that its routes stand under. */
  readonly path: string;
  /** How a sentence names the format. */
  readonly speaks: string;
  readonly models: readonly string[];
  /** The header with the key, and what stands before the key in it. */
  readonly key: { readonly header: string; readonly prefix: string };
  /** A header without which nothing is served. */
  readonly requires?: { readonly header: string; readonly value: string };
  readonly create: Creation<Body>;
  readonly statuses: Readonly<Record<TaskStatus, string>>;
  /** The ends that a task may have, in the vendor's codes. */
  readonly failures: Readonly<Record<keyof typeof failures, TaskFailure>>;
  readonly refusals: RefusalTable;
  readonly writeRefusal: (refusal: Refusal, requestId: string) => object;
  /** A task as the vendor shows it. */
  readonly show: (shown: ShownTask) => object;
  /** A poll of one task; the path has an `:id`. */
  readonly read?: SinglePoll;
  /** The second question of a vendor that tells of a result apart from the status. */
  readonly result?: ResultPoll;
  /** A poll of many tasks, named in the query. */
  readonly batch?: BatchPoll;
  readonly cancel?: Cancellation;
  /** What this vendor alone can be told by words in a prompt. */
  readonly quirks?: DirectiveTable;
  /** Links that have run out are signed anew by a poll. */
  readonly resigns?: boolean;
}

interface Creation<Body> {
  /** POSTs, below the vendor's path; the parts with a colon are the call's `params`. */
  readonly paths: readonly string[];
  /** JSON schema of a body. */
  readonly schema: object;
  /** Throws the refusal of what the schema cannot say. */
  readonly asked: (body: Body, call: CreateCall) => AskedTask;
  /** A UUID when left out. */
  readonly newId?: (random: string) => string;
  /** Whether there is such a model, of a vendor whose `models` are examples. */
  readonly hasModel?: (model: string) => boolean;
  readonly response: (shown: ShownTask) => object;
  /** 200 when left out. */
  readonly status?: number;
}

export interface CreateCall {
  /** Below the vendor's path. */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly header: (name: string) => string | undefined;
  /** Where the vendor stands, for the addresses that it names. */
  readonly baseUrl: string;
  readonly refuse: Refuse;
}

/** What a creation asks for. */
export interface AskedTask {
  readonly model: string;
  readonly prompt: string;
  readonly seconds: number;
  /** As the vendor spells it. */
  readonly resolution: string;
  /** 16:9 is drawn when it is left out, or is none that the sandbox draws. */
  readonly ratio?: string | undefined;
  readonly seed?: number | undefined;
  readonly watermark?: boolean | undefined;
  readonly media?: readonly AskedMedia[];
  readonly expiresAfterSeconds?: number;
  /** Seconds that it runs longer than others. */
  readonly slowSeconds?: number;
  /** What a task is shown with again. */
  readonly echo?: Readonly<Record<string, unknown>>;
}

export interface AskedMedia {
  readonly kind: 'image' | 'video' | 'audio';
  readonly role?: string;
  /** An address, or a `data:` URL. */
  readonly url: string;
}

/** A task on its way into the vendor's words. */
export interface ShownTask {
  readonly task: Task;
  /** In the vendor's word. */
  readonly status: string;
  readonly failure: TaskFailure | undefined;
  /** The length that it has or will have. */
  readonly seconds: number;
  readonly videoUrl: string | undefined;
  readonly echo: Readonly<Record<string, unknown>>;
  /** Of this vendor's own directives, by name. */
  readonly quirks: Readonly<Partial<Record<string, number>>>;
}

/** What is sent to a poll. */
export interface Reply {
  readonly status: number;
  /** Left out: an empty body. */
  readonly body?: object;
}

/** What a poll is answered with. */
export interface Polled extends Pick<VendorCore, 'videos'> {
  /** Counted from 1. */
  readonly poll: number;
  readonly refuse: Refuse;
}

interface SinglePoll {
  readonly path: string;
  /** What the vendor sends where that is another thing than a 200 with the task. */
  readonly reply?: (shown: ShownTask, polled: Polled) => Reply | Promise<Reply>;
}

interface ResultPoll {
  readonly path: string;
  readonly reply: (shown: ShownTask, polled: Polled) => Reply;
}

interface BatchPoll {
  readonly path: string;
  /** Of the vendor's tasks those that the query names; throws the refusal of a wrong one. */
  readonly select: (
    query: Readonly<Record<string, unknown>>,
    vendor: { readonly tasks: readonly ShownTask[]; readonly refuse: Refuse },
  ) => readonly ShownTask[];
  readonly listed: (tasks: readonly object[]) => object;
}

interface Cancellation {
  readonly method: 'post' | 'delete' | 'put';
  readonly path: string;
  /** Cancels tasks with these statuses. */
  readonly cancels: readonly TaskStatus[];
  /** Erases those that are over. */
  readonly erases?: boolean;
  readonly reply: (shown: ShownTask) => Reply;
}
