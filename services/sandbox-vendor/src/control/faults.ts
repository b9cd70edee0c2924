/** Kinds of request; `text` is generation in either dialect. */
export const faultOperations = [
  'create',
  'get',
  'list',
  'delete',
  'file',
  'text',
  'messages',
  'chat',
  'responses',
] as const;
export type FaultOperation = (typeof faultOperations)[number];

export const faultActions = [
  'status',
  'page',
  'drop-before',
  'drop-after',
  'delay',
  'garbage',
] as const;
export type FaultAction = (typeof faultActions)[number];

/** Something that goes wrong with the next requests of one kind. */
export interface Fault {
  readonly operation: FaultOperation;
  readonly action: FaultAction;
  /** How many requests it meets. */
  readonly times: number;
  /** The response of `status` and `page`. */
  readonly status: number;
  /** The wait of `delay`. */
  readonly delay_ms: number;
  /** Sent as a header with `status`, when given. */
  readonly retry_after_seconds?: number;
}

export interface Faults {
  add(fault: Fault): void;
  /**
   * The fault for a request of any of these kinds, if there is one; the one added first is used up
   * first.
   */
  take(...operations: readonly FaultOperation[]): Fault | undefined;
  list(): readonly Fault[];
  clear(): void;
}

export function createFaults(): Faults {
  let pending: readonly Fault[] = [];
  return {
    add(fault) {
      pending = [...pending, fault];
    },
    take(...operations) {
      const fault = pending.find(({ operation }) => operations.includes(operation));
      pending = pending
        .map((one) => (one === fault ? { ...one, times: one.times - 1 } : one))
        .filter(({ times }) => times > 0);
      return fault;
    },
    list: () => pending,
    clear() {
      pending = [];
    },
  };
}
