/** A failure in no vendor's words yet: the vendor whose routes threw it responds in its own. */
export class PlainFailure extends Error {
  override readonly name = 'PlainFailure';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
