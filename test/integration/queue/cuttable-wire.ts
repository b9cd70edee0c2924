import net from 'node:net';

/**
 * A wire to a store that the test can cut and mend: what a store that goes away looks like from
 * here.
 */
export interface CuttableWire {
  readonly port: number;
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

/** Listens on loopback and passes everything on to the host and port of `url`. */
export async function openWire(url: string, defaultPort: number): Promise<CuttableWire> {
  const { hostname, port } = new URL(url);
  const ends = new Set<net.Socket>();
  let whole = true;
  const keep = (socket: net.Socket): net.Socket => {
    ends.add(socket);
    socket.on('error', () => undefined);
    return socket.on('close', () => ends.delete(socket));
  };
  const cutNow = (): void => {
    for (const socket of ends) socket.destroy();
  };
  const server = net.createServer((socket) => {
    keep(socket);
    if (!whole) {
      socket.destroy();
      return;
    }
    const onward = keep(net.connect(port === '' ? defaultPort : Number(port), hostname));
    socket.pipe(onward).pipe(socket);
    socket.on('close', () => onward.destroy());
    onward.on('close', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as net.AddressInfo).port,
    cut() {
      whole = false;
      cutNow();
    },
    mend() {
      whole = true;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        cutNow();
      }),
  };
}
