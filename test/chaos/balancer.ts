import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface Balancer {
  readonly url: string;
  /** Where connections go from now on, one after the other. */
  serve(urls: readonly string[]): void;
  close(): Promise<void>;
}

/**
 * What a Service of Kubernetes does, and no more: each connection goes to the next replica, and to
 * the one after it when that one refuses. What is lost on a connection that stood is lost.
 */
export async function openBalancer(): Promise<Balancer> {
  const sockets = new Set<Socket>();
  let targets: readonly URL[] = [];
  let turn = 0;
  const server = createServer({ allowHalfOpen: true }, (client) => {
    track(client);
    turn += 1;
    tryNext(
      client,
      targets
        .map((_unused, index) => targets[(turn + index) % targets.length])
        .filter((target) => target !== undefined),
    );
  });
  const track = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  };
  const tryNext = (client: Socket, [target, ...others]: readonly URL[]): void => {
    if (target === undefined) {
      client.destroy();
      return;
    }
    const upstream = connect({
      host: target.hostname,
      port: Number(target.port),
      allowHalfOpen: true,
    });
    let isConnected = false;
    track(upstream);
    upstream.once('connect', () => {
      isConnected = true;
      client.pipe(upstream).pipe(client);
      client.once('close', () => upstream.destroy());
    });
    upstream.once('close', () => {
      if (isConnected) client.destroy();
      else tryNext(client, others);
    });
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    serve: (urls) => {
      targets = urls.map((url) => new URL(url));
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        for (const socket of sockets) socket.destroy();
      }),
  };
}
