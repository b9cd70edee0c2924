import net from 'node:net';

/** To which side a silent wire passes nothing on. */
export type Side = 'server' | 'client';

/** A wire to a server, which a test can cut or silence: what a server that goes away looks like. */
export interface Wire {
  /** That of the server, but for the address. */
  readonly url: string;
  readonly port: number;
  /** Closes every connection, and each new one at once. */
  cut(): void;
  /**
   * Passes nothing on to these sides, and closes nothing; to either when none is named. New
   * connections are taken and are as silent.
   */
  fallSilent(...towards: readonly Side[]): void;
  /** Passes everything on again, first of all what it withheld. */
  mend(): void;
  /**
   * Another server has taken the address: whoever connects now is served. Connections that stood
   * stay silent for good, and the old server sees them end.
   */
  replace(): void;
  close(): Promise<void>;
}

interface Link {
  readonly ends: Readonly<Record<Side, net.Socket>>;
  readonly withheld: { readonly to: Side; readonly chunk: Buffer | 'end' }[];
  isLost: boolean;
}

/** What is wrong with the wire, and what it connects. */
interface State {
  readonly links: Set<Link>;
  isCut: boolean;
  silent: readonly Side[];
}

const other = (side: Side): Side => (side === 'server' ? 'client' : 'server');

/**
 * Listens on loopback and passes everything on to the host and port of `target`, which is asked for
 * at each connection when it is a function.
 */
export async function openWire(
  target: string | (() => string),
  defaultPort: number,
): Promise<Wire> {
  const urlOf = typeof target === 'string' ? (): string => target : target;
  const state: State = { links: new Set(), isCut: false, silent: [] };
  const server = net.createServer((client) => {
    client.on('error', () => undefined);
    if (state.isCut) client.destroy();
    else {
      const { hostname, port } = new URL(urlOf());
      const server = net.connect(port === '' ? defaultPort : Number(port), hostname);
      link({ client, server }, state);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as net.AddressInfo;
  const here = new URL(typeof target === 'string' ? target : 'http://127.0.0.1');
  here.host = `127.0.0.1:${port}`;
  return {
    ...switches(state),
    url: here.href,
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        destroyAll(state);
      }),
  };
}

function link(ends: Link['ends'], state: State): void {
  const made: Link = { ends, withheld: [], isLost: false };
  state.links.add(made);
  for (const side of ['client', 'server'] as const) {
    ends[side]
      .on('error', () => undefined)
      .on('data', (chunk) => {
        pass(made, { to: other(side), chunk, state });
      })
      .on('close', () => {
        pass(made, { to: other(side), chunk: 'end', state });
        if (Object.values(ends).every(({ closed }) => closed)) state.links.delete(made);
      });
  }
}

function pass(
  { ends, withheld, isLost }: Link,
  { to, chunk, state }: Link['withheld'][number] & { readonly state: State },
): void {
  if (isLost) return;
  if (state.silent.includes(to)) withheld.push({ to, chunk });
  else if (chunk === 'end') ends[to].destroy();
  else ends[to].write(chunk);
}

function destroyAll({ links }: State): void {
  for (const { ends } of links) for (const end of Object.values(ends)) end.destroy();
}

const switches = (state: State): Pick<Wire, 'cut' | 'fallSilent' | 'mend' | 'replace'> => ({
  cut() {
    state.isCut = true;
    destroyAll(state);
  },
  fallSilent(...towards) {
    state.silent = towards.length === 0 ? ['server', 'client'] : towards;
  },
  mend() {
    Object.assign(state, { isCut: false, silent: [] });
    for (const each of state.links) {
      for (const held of each.withheld.splice(0)) pass(each, { ...held, state });
    }
  },
  replace() {
    Object.assign(state, { isCut: false, silent: [] });
    for (const each of state.links) {
      each.isLost = true;
      each.ends.server.destroy();
    }
  },
});
