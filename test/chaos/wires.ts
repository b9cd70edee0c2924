import { openTestS3, openWire, type TestS3, type Wire } from '@gateway/testing';

/** What the services talk to over wires that can fall silent. */
export const peers = ['postgres', 'redis', 'billing', 'vendor', 'storage'] as const;
export type Peer = (typeof peers)[number];

export interface Wires {
  readonly of: Readonly<Record<Peer, Wire>>;
  /** The same address, over the wire. */
  readonly over: (peer: Peer, url: string) => string;
  /** What tells each service to take the wires, by its name. */
  readonly settingsOf: (service: string) => Readonly<Record<string, string>>;
  readonly storage: TestS3;
  readonly close: () => Promise<void>;
}

/** Which services use what beside PostgreSQL and Redis. `-2` is the second replica of a service. */
const users = {
  billing: ['api'],
  vendor: ['api', 'video-worker', 'video-worker-2'],
  storage: ['api', 'video-worker', 'video-worker-2'],
} as const satisfies Partial<Record<Peer, readonly string[]>>;

/** A storage of its own, since files on a disk do not fall silent, and a wire to each peer. */
export async function openWires(
  targets: Readonly<Record<Exclude<Peer, 'storage'>, string | (() => string)>>,
): Promise<Wires> {
  const storage = await openTestS3();
  const wires = {
    postgres: await openWire(targets.postgres, 5432),
    redis: await openWire(targets.redis, 6379),
    billing: await openWire(targets.billing, 80),
    vendor: await openWire(targets.vendor, 80),
    storage: await openWire(storage.url, 80),
  };
  const settings = {
    billing: { BILLING_URL: withoutSlash(wires.billing.url) },
    vendor: { SANDBOX_URL: withoutSlash(wires.vendor.url) },
    storage: { ...storage.settings, S3_ENDPOINT: withoutSlash(wires.storage.url) },
  };
  return {
    of: wires,
    over(peer, url) {
      const there = new URL(url);
      there.host = `127.0.0.1:${wires[peer].port}`;
      return there.href;
    },
    settingsOf: (service) =>
      Object.assign(
        {},
        ...Object.entries(users).map(([peer, names]) =>
          (names as readonly string[]).includes(service)
            ? settings[peer as keyof typeof users]
            : {},
        ),
      ) as Record<string, string>,
    storage,
    async close() {
      await Promise.all(Object.values(wires).map((wire) => wire.close()));
      await storage.close();
    },
  };
}

const withoutSlash = (url: string): string => url.replace(/\/$/, '');
