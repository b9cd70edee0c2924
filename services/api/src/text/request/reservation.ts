/** Quota that one request has set aside for what it will cost. */
export interface Reservation {
  /** The lease that its usage is charged to first. */
  readonly leaseId: string;
  /** Called once, when the request is over, with what it cost in nano-quota. Never throws. */
  settle(costNano: number): void;
}
