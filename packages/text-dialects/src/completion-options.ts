/** Things of the client's dialect that the completion must honour. */
export interface CompletionOptions {
  /** Chat: `stream_options.include_usage`. */
  readonly includeUsage: boolean;
  /** Chat: the request used `functions`, so the completion has `function_call`. */
  readonly legacyFunctions: boolean;
  /** Chat and responses: names of `custom` tools, whose input is a text and not arguments. */
  readonly customTools: readonly string[];
  /** Responses: what the Response object says of its request. */
  readonly response?: ResponseOptions | undefined;
}

export interface ResponseOptions {
  /** Fields of the Response object, in its own words. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** The client asked for what carries the thoughts to its next request. */
  readonly includeEncrypted: boolean;
  /** Tools of namespaces, by the names that they have in formats without. */
  readonly namespaced: Readonly<Record<string, NamespacedTool>>;
}

export interface NamespacedTool {
  readonly namespace: string;
  readonly name: string;
}
