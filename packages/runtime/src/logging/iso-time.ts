let second = -1;
let prefix = '';

/**
 * `new Date(ms).toISOString()` for times after 1970, at a tenth of its cost where many fall into
 * one second. `ms`: whole milliseconds since the epoch.
 */
export function isoTime(ms: number): string {
  const at = Math.floor(ms / 1000);
  if (at !== second) {
    prefix = new Date(at * 1000).toISOString().slice(0, -4);
    second = at;
  }
  const millis = ms - at * 1000;
  return `${prefix}${millis < 10 ? '00' : millis < 100 ? '0' : ''}${millis}Z`;
}
