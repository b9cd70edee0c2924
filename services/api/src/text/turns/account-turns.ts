/** One that waits for its account's turn. */
export interface Waiter {
  readonly account: string;
  /** Milliseconds of the monotonic clock. */
  readonly dueMs: number;
}

interface Account<W> {
  held: number;
  /** The oldest first; all of an account wait equally long. */
  readonly waiting: W[];
}

/** Below this many accounts nobody is forgotten: most come back soon. */
const fewAccounts = 1_000;

/**
 * What each account holds of something scarce, and who waits for more of it. Accounts take turns,
 * each with its oldest first. One that holds its share or more has no turn while another that waits
 * holds less: the share is what there is, divided by the accounts that hold some or wait. No I/O and
 * no clock in here.
 */
export class AccountTurns<W extends Waiter> {
  readonly #accounts = new Map<string, Account<W>>();
  /** Those that wait; whose turn is next comes first. */
  readonly #turns: Account<W>[] = [];
  /** Accounts that hold some or wait. */
  #active = 0;
  #waiting = 0;
  #forgetAt = fewAccounts;

  get waiting(): number {
    return this.#waiting;
  }

  waitingOf(name: string): number {
    return this.#accounts.get(name)?.waiting.length ?? 0;
  }

  held(name: string): void {
    const account = this.#accountOf(name);
    if (isIdle(account)) this.#active += 1;
    account.held += 1;
  }

  released(name: string): void {
    const account = this.#accountOf(name);
    account.held -= 1;
    if (isIdle(account)) this.#active -= 1;
  }

  add(waiter: W): void {
    const account = this.#accountOf(waiter.account);
    if (isIdle(account)) this.#active += 1;
    if (account.waiting.length === 0) this.#turns.push(account);
    account.waiting.push(waiter);
    this.#waiting += 1;
  }

  /** False when it does not wait any more. */
  remove(waiter: W): boolean {
    const account = this.#accountOf(waiter.account);
    const at = account.waiting.indexOf(waiter);
    return at !== -1 && this.#takeOut(account, at, 1).length > 0;
  }

  /** Takes out whose turn it is, of `limit` that there are for all accounts. */
  next(limit: number): W | undefined {
    const share = Math.max(1, Math.floor(limit / this.#active));
    const account = this.#turns.find(({ held }) => held < share) ?? this.#turns[0];
    if (account === undefined) return undefined;
    const [waiter] = this.#takeOut(account, 0, 1);
    if (account.waiting.length > 0) {
      this.#turns.push(...this.#turns.splice(this.#turns.indexOf(account), 1));
    }
    return waiter;
  }

  /** Takes out those whose time is up. */
  expire(nowMs: number): readonly W[] {
    return [...this.#turns].flatMap((account) => {
      const alive = account.waiting.findIndex(({ dueMs }) => dueMs > nowMs);
      return this.#takeOut(account, 0, alive === -1 ? account.waiting.length : alive);
    });
  }

  #accountOf(name: string): Account<W> {
    const known = this.#accounts.get(name);
    if (known !== undefined) return known;
    if (this.#accounts.size >= this.#forgetAt) this.#forgetIdle();
    const account: Account<W> = { held: 0, waiting: [] };
    this.#accounts.set(name, account);
    return account;
  }

  #forgetIdle(): void {
    for (const [name, account] of this.#accounts) {
      if (isIdle(account)) this.#accounts.delete(name);
    }
    this.#forgetAt = Math.max(fewAccounts, 2 * this.#accounts.size);
  }

  #takeOut(account: Account<W>, from: number, count: number): readonly W[] {
    const taken = account.waiting.splice(from, count);
    this.#waiting -= taken.length;
    if (taken.length > 0 && account.waiting.length === 0) {
      this.#turns.splice(this.#turns.indexOf(account), 1);
      if (isIdle(account)) this.#active -= 1;
    }
    return taken;
  }
}

const isIdle = ({ held, waiting }: Account<unknown>): boolean => held === 0 && waiting.length === 0;
