import { parseArgs } from 'node:util';
import { chosenOf, positive, readingOptions } from '../usage-error.ts';

export const peerNames = ['bare', 'gateway', 'portkey', 'litellm'] as const;
export type PeerName = (typeof peerNames)[number];

export interface PeersOptions {
  readonly peers: readonly PeerName[];
  /** Length of one measured run. */
  readonly seconds: number;
}

export const peersUsage = '[--only=bare,gateway,portkey,litellm] [--seconds=5]';

export const peersHelp = `The same requests through this gateway, a bare proxy and two others, one after the other:

  bare      node:http and undici, which forward and do nothing else
  gateway   one process of the api, with key check, limits, metering, charging and logging on
  portkey   Portkey's gateway, from npm
  litellm   LiteLLM's proxy with one worker, from PyPI; needs python3 with its module venv

Each has core 0 to itself; the upstream, the load and everything else share core 1 (where there are two cores and
taskset). The first run installs the two into .cache/peers (about 40 MB and 700 MB, some minutes), further ones find
them there; delete that folder to be rid of them. What cannot be installed or started is left out, and the table
says why.`;

/** Throws UsageError. */
export const readPeersOptions = (args: readonly string[]): PeersOptions =>
  readingOptions(() => {
    const { values } = parseArgs({
      args: [...args],
      options: {
        only: { type: 'string', default: peerNames.join(',') },
        seconds: { type: 'string', default: '5' },
      },
    });
    return {
      peers: chosenOf(peerNames, values.only),
      seconds: positive('seconds', values.seconds),
    };
  });
