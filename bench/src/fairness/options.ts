import { parseArgs } from 'node:util';
import { chosenOf, positive, readingOptions } from '../usage-error.ts';
import { attackNames, type AttackName } from './protocol.ts';

export interface FairnessOptions {
  readonly attacks: readonly AttackName[];
  /** Of one measured window, quiet or under attack. */
  readonly seconds: number;
  /** How long the api's memory is given to come back. */
  readonly restSeconds: number;
  /** Whether the attacker also attacks a server that swallows everything. */
  readonly floor: boolean;
}

export const fairnessUsage = '[--only=ATTACK,…] [--seconds=15] [--rest=60] [--floor]';

export const fairnessHelp = `A customer's small requests while another account attacks with one valid key:

  nested-json        64 MiB of brackets in 64 kB of gzip, and 8 MiB as they are, to /v1/videos
  unfinished-bodies  forty bodies of /v1/videos and /v1/messages that lack their last MiB
  large-bodies       text requests of 16 MiB, all of small values
  failing-upstream   requests at which the upstream returns 500, on the customer's own model
  hostile-media      uploads of an MP4 of 9,995 empty boxes
  operations-routes  forty anonymous callers of /metrics and /readyz on the customers' port
  unknown-keys       twenty callers, each request with a key that does not exist`;

/** Throws UsageError. */
export const readFairnessOptions = (args: readonly string[]): FairnessOptions =>
  readingOptions(() => {
    const { values } = parseArgs({
      args: [...args],
      options: {
        only: { type: 'string', default: attackNames.join(',') },
        seconds: { type: 'string', default: '15' },
        rest: { type: 'string', default: '60' },
        floor: { type: 'boolean', default: false },
      },
    });
    return {
      attacks: chosenOf(attackNames, values.only),
      seconds: positive('seconds', values.seconds),
      restSeconds: positive('rest', values.rest),
      floor: values.floor,
    };
  });
