/**
 * Responses that are kept for their account, so that a later request can build on them. Items come as
 * JSON: what a small request refers to may be large, and nobody reads it before it is put in.
 */
export interface StoredResponses {
  /** False where nothing is kept, for anybody. */
  readonly isOn: boolean;
  /**
   * The items of the conversation up to and including this response (oldest first: the input of each
   * response, then its output), or null when this account has no such response.
   */
  conversation(query: {
    readonly accountId: string;
    readonly responseId: string;
  }): Promise<readonly string[] | null>;
  /** Output and input items by their ids; ids that are not there are missing in the map. */
  items(query: {
    readonly accountId: string;
    readonly itemIds: readonly string[];
  }): Promise<ReadonlyMap<string, string>>;
  /** Keeps a finished response; never rejects: what could not be kept is counted and logged. */
  keep(response: {
    readonly accountId: string;
    readonly responseId: string;
    readonly previousResponseId: string | null;
    /** The items of this request alone, each with an id. */
    readonly input: readonly unknown[];
    /** The whole Response object, as the client got it. */
    readonly response: Readonly<Record<string, unknown>>;
  }): void;
}
