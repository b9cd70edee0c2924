import type { NewStoredResponse } from '@gateway/store';

export interface QueueBounds {
  /** Of all accounts together. */
  readonly maxBytes: number;
  readonly maxResponses: number;
  /** Of one account, so that it does not take the place of the others. */
  readonly maxAccountBytes: number;
}

interface Waiting {
  readonly response: NewStoredResponse;
  /** Writes that failed with it. */
  failures: number;
}

/** Responses that are in memory only, oldest first for each account. */
export class ResponseQueue {
  readonly #bounds: QueueBounds;
  /** In the order of their turns. */
  #accounts = new Map<string, Waiting[]>();
  #underWay: readonly Waiting[] = [];
  readonly #known = new Map<string, NewStoredResponse>();
  readonly #accountBytes = new Map<string, number>();
  #bytes = 0;

  constructor(bounds: QueueBounds) {
    this.#bounds = bounds;
  }

  /** With what is being written. */
  get size(): number {
    return this.#known.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Whether there is no place for one more response of this account, whatever its size. */
  isFull(accountId: string): boolean {
    const { maxBytes, maxResponses, maxAccountBytes } = this.#bounds;
    return (
      this.#bytes >= maxBytes ||
      this.size >= maxResponses ||
      (this.#accountBytes.get(accountId) ?? 0) >= maxAccountBytes
    );
  }

  /** False, and nothing is added, when one with this id waits already. */
  add(response: NewStoredResponse): boolean {
    const key = keyOf(response);
    if (this.#known.has(key)) return false;
    this.#known.set(key, response);
    this.#count(response, 1);
    const waiting = this.#accounts.get(response.accountId);
    if (waiting === undefined) {
      this.#accounts.set(response.accountId, [{ response, failures: 0 }]);
    } else waiting.push({ response, failures: 0 });
    return true;
  }

  /** Takes the next batch, accounts in turn; one response at least when any waits. */
  take({ most, mostBytes }: { readonly most: number; readonly mostBytes: number }) {
    const batch: Waiting[] = [];
    let bytes = 0;
    while (batch.length < most) {
      const [turn] = this.#accounts;
      const next = turn?.[1][0];
      if (turn === undefined || next === undefined) break;
      bytes += next.response.sizeBytes;
      if (batch.length > 0 && bytes > mostBytes) break;
      batch.push(next);
      const [accountId, waiting] = turn;
      waiting.shift();
      this.#accounts.delete(accountId);
      if (waiting.length > 0) this.#accounts.set(accountId, waiting);
    }
    this.#underWay = batch;
    return batch.map(({ response }) => response);
  }

  /** The batch has been written. */
  settle(): void {
    for (const { response } of this.#underWay) this.#forget(response);
    this.#underWay = [];
  }

  /** The batch was not written, or nobody knows: returns those that are given up. */
  putBack(maxFailures: number): readonly NewStoredResponse[] {
    const givenUp: NewStoredResponse[] = [];
    for (const waiting of [...this.#underWay].reverse()) {
      const { response } = waiting;
      waiting.failures += 1;
      if (waiting.failures >= maxFailures) {
        this.#forget(response);
        givenUp.push(response);
      } else {
        const others = this.#accounts.get(response.accountId) ?? [];
        this.#accounts.set(response.accountId, [waiting, ...others]);
      }
    }
    this.#underWay = [];
    return givenUp;
  }

  find(accountId: string, responseId: string): NewStoredResponse | undefined {
    return this.#known.get(keyOf({ accountId, responseId }));
  }

  /** Those of an account, newest first. */
  ofAccount(accountId: string): NewStoredResponse[] {
    const waiting = [...this.#underWay, ...(this.#accounts.get(accountId) ?? [])];
    return waiting
      .map(({ response }) => response)
      .filter((response) => response.accountId === accountId)
      .reverse();
  }

  /** `under way`: it is being written. */
  remove(accountId: string, responseId: string): 'removed' | 'under way' | undefined {
    const response = this.find(accountId, responseId);
    if (response === undefined) return undefined;
    const others = this.#accounts.get(accountId) ?? [];
    const rest = others.filter((waiting) => waiting.response !== response);
    if (rest.length === others.length) return 'under way';
    if (rest.length > 0) this.#accounts.set(accountId, rest);
    else this.#accounts.delete(accountId);
    this.#forget(response);
    return 'removed';
  }

  #forget(response: NewStoredResponse): void {
    this.#known.delete(keyOf(response));
    this.#count(response, -1);
  }

  #count({ accountId, sizeBytes }: NewStoredResponse, sign: 1 | -1): void {
    this.#bytes += sign * sizeBytes;
    const ofAccount = (this.#accountBytes.get(accountId) ?? 0) + sign * sizeBytes;
    if (ofAccount > 0) this.#accountBytes.set(accountId, ofAccount);
    else this.#accountBytes.delete(accountId);
  }
}

const keyOf = ({
  accountId,
  responseId,
}: Pick<NewStoredResponse, 'accountId' | 'responseId'>): string => `${accountId} ${responseId}`;
