import { intervalPart, type Log, type Part } from '@gateway/runtime';

export interface PerProviderOptions {
  readonly name: string;
  readonly everyMs: number;
  /** Names of the providers there are now. */
  readonly providers: () => Iterable<string>;
  /** May go on for long; `signal` is aborted when the process stops. */
  readonly work: (provider: string, signal: AbortSignal) => Promise<void>;
  readonly log: Log;
}

/**
 * Work for each provider, begun again when it has ended, never twice at once: a vendor that hangs
 * holds up its own only.
 */
export function perProviderPart({ name, everyMs, providers, work, log }: PerProviderOptions): Part {
  const ending = new AbortController();
  const underWay = new Map<string, Promise<void>>();
  const begin = (provider: string): void => {
    if (underWay.has(provider)) return;
    underWay.set(
      provider,
      work(provider, ending.signal)
        .catch((error: unknown) => {
          log.error('periodic work failed', { work: name, provider, error });
        })
        .finally(() => {
          underWay.delete(provider);
        }),
    );
  };
  const beginning = intervalPart({
    name,
    everyMs,
    log,
    work: () => {
      for (const provider of providers()) begin(provider);
      return Promise.resolve();
    },
  });
  return {
    ...beginning,
    async stop() {
      ending.abort();
      await beginning.stop();
      await Promise.all(underWay.values());
    },
  };
}
