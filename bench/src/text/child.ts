import type { AddressInfo, Server } from 'node:net';

/** For the processes that this bench starts: they end when the coordinator does. */
export function endWithParent(): void {
  process.once('disconnect', () => process.exit(0));
}

/** Listens on a free loopback port and tells the coordinator which. */
export function announce(server: Server): void {
  endWithParent();
  server.listen(0, '127.0.0.1', () =>
    process.send?.({ port: (server.address() as AddressInfo).port }),
  );
}
