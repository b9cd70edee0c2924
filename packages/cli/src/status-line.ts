import type { Output } from './terminal.ts';

const width = 24;
const everyMs = 200;

/** What is under way, told on one line of a terminal, or with a line for each news elsewhere. */
export class StatusLine {
  readonly #output: Output;
  readonly #now: () => number;
  #text = '';
  #since: number;
  #share: number | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(output: Output, now: () => number = performance.now.bind(performance)) {
    this.#output = output;
    this.#now = now;
    this.#since = now();
  }

  /** Shows this from now on; with a share, from 0 to 1, as a bar that fills up. */
  show(text: string, share?: number): void {
    const isNews = text !== this.#text;
    if (isNews) this.#since = this.#now();
    this.#text = text;
    this.#share = share;
    if (this.#output.isTTY !== true) {
      if (isNews) this.#output.write(`${text}\n`);
      return;
    }
    this.#timer ??= setInterval(() => {
      this.#draw();
    }, everyMs);
    if (isNews || share === 1) this.#draw();
  }

  /** Shows how much of something has been moved. */
  progressOf(text: string): (moved: { readonly bytes: number; readonly size: number }) => void {
    return ({ bytes, size }) => {
      this.show(text, bytes / size);
    };
  }

  /** Leaves an empty line for what is written next. */
  clear(): void {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#text = '';
    this.#output.write('\r\u001B[K');
  }

  #draw(): void {
    const seconds = Math.floor((this.#now() - this.#since) / 1_000);
    const line = `${barOf(this.#share, this.#now() / everyMs)} ${this.#text}, ${seconds} s`;
    // A terminal that was never told its size says 0.
    const { columns = 0 } = this.#output;
    this.#output.write(`\r\u001B[K${line.slice(0, (columns > 0 ? columns : 80) - 1)}`);
  }
}

/** Whatever the work shows is gone when it ends, however it ends. */
export async function showing<Result>(
  line: StatusLine,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } finally {
    line.clear();
  }
}

/** A bar that is filled to a share, or along which something moves where nobody knows the share. */
export function barOf(share: number | undefined, tick: number): string {
  if (share !== undefined) {
    const filled = Math.round(Math.min(1, Math.max(0, share)) * width);
    return `[${'#'.repeat(filled)}${'.'.repeat(width - filled)}]`;
  }
  const at = Math.floor(tick) % (width - 2);
  return `[${'.'.repeat(at)}###${'.'.repeat(width - 3 - at)}]`;
}
