import cluster from 'node:cluster';
import process from 'node:process';
import type { Part, Service } from '../lifecycle/index.ts';

/** What a process of a group tells the one that started it. */
export type MemberNews = { readonly opsUrl: string } | { readonly started: true };

/**
 * The number of this process in its group, from 1; one that takes another's place keeps it. Undefined
 * for a process that stands alone.
 */
export const processNumber = (): string | undefined =>
  cluster.isWorker ? process.argv[2] : undefined;

/**
 * A service as a process of a group: it says where its operations port listens, which comes first
 * among its parts, and when all of them have started.
 */
export function asGroupMember(service: Service & { opsUrl(): string }): Service {
  const [port, ...others] = service.parts as readonly [Part, ...Part[]];
  return {
    ...service,
    parts: [
      port,
      telling('address', () => ({ opsUrl: service.opsUrl() })),
      ...others,
      telling('start', () => ({ started: true })),
    ],
  };
}

const telling = (name: string, news: () => MemberNews): Part => ({
  name: `news of the ${name}`,
  start() {
    process.send?.(news());
    return Promise.resolve();
  },
  stop: () => Promise.resolve(),
});
