/** How one call to an upstream went wrong before any byte of it reached the client. */
export type CallFailure =
  /** The upstream's own response. */
  | { readonly kind: 'refused'; readonly status: number; readonly retryAfterMs: number | undefined }
  /** Nobody there: nothing was sent. */
  | { readonly kind: 'unreachable'; readonly reason: string; readonly systemCode?: string }
  /** The connection broke after the request was on its way. */
  | { readonly kind: 'broken'; readonly reason: string; readonly systemCode?: string }
  /** No head, or nothing further, within the time given. */
  | { readonly kind: 'timeout'; readonly reason: string; readonly systemCode?: string }
  /**
   * We went away ourselves: the client left, or the process stops. `sent`: the request was on its
   * way to the upstream by then.
   */
  | { readonly kind: 'aborted'; readonly reason: string; readonly sent: boolean };
