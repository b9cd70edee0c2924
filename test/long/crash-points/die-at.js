// Given to a service with --import: kills the process at a point that an order names, with no
// chance to tidy up. An order is a file `<point>@<subject, or any>` in the folder, which holds the
// number of the arrival that is the last.
import { subscribe } from 'node:diagnostics_channel';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const folder = process.env.CRASH_ORDERS ?? '';

subscribe('gateway:crash-point', (message) => {
  const { point, subject } = /** @type {{ point: string, subject: string }} */ (message);
  if (isDue(`${point}@any`) || isDue(`${point}@${subject}`)) process.kill(process.pid, 'SIGKILL');
});

/** An order is used up before the process dies: the next one lives. */
function isDue(order) {
  const file = path.join(folder, order);
  const arrivals = read(file);
  if (arrivals === undefined) return false;
  if (arrivals <= 1) rmSync(file);
  else writeFileSync(file, String(arrivals - 1));
  return arrivals <= 1;
}

function read(file) {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
