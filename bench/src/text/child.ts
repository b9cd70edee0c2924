import type { AddressInfo, Server } from 'node:net';

/** For the processes that this bench starts: they end when the coordinator does. */
export function endWithParent(): void {
  process.once('disconnect', () => process.exit(0));
}

/** A thousand callers connect at once: those beyond Node's 511 would wait for seconds. */
const backlog = 4_096;

/** Listens on a free loopback port and tells the coordinator which. */
export function announce(server: Server): void {
  endWithParent();
  server.listen({ port: 0, host: '127.0.0.1', backlog }, () =>
    process.send?.({ port: (server.address() as AddressInfo).port }),
  );
}
