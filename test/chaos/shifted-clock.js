// Given to a service with --import: its clock shows as many milliseconds more than the machine's as the
// file CHAOS_CLOCK_FILE says, read anew again and again, also by a process that is started later.
import { readFileSync } from 'node:fs';

const Real = Date;
const file = process.env.CHAOS_CLOCK_FILE ?? '';
let aheadMs = 0;

function read() {
  try {
    aheadMs = Number(readFileSync(file, 'utf8'));
  } catch {
    // Nobody has set this clock yet.
    aheadMs = 0;
  }
}
read();
setInterval(read, 100).unref();

const now = () => Real.now() + aheadMs;
globalThis.Date = new Proxy(Real, {
  construct: (target, values, made) =>
    Reflect.construct(target, values.length === 0 ? [now()] : values, made),
  get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
});
