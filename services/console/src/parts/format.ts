const number = new Intl.NumberFormat('en');
const month = new Intl.DateTimeFormat('en', { month: 'short' });
const ago = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });

const months = Array.from({ length: 12 }, (_none, index) => month.format(new Date(2026, index)));
const twoDigits = (value: number): string => String(value).padStart(2, '0');
const clockAt = (at: Date): string =>
  [at.getHours(), at.getMinutes(), at.getSeconds()].map(twoDigits).join(':');
const dayAt = (at: Date): string => `${months[at.getMonth()] ?? ''} ${at.getDate()}`;

// By hand, for rows of lists have several of these each: Intl takes three times as long.
export const numberText = (value: number): string =>
  Number.isSafeInteger(value)
    ? String(value).replace(/\B(?=(?:\d{3})+$)/g, ',')
    : number.format(value);
export function momentText(at: string): string {
  const date = new Date(at);
  return `${dayAt(date)}, ${date.getFullYear()}, ${clockAt(date)}`;
}
export const clockText = (at: string): string => clockAt(new Date(at));
export const dayText = (at: string): string => dayAt(new Date(at));

const steps: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** How long ago something was, in the largest unit that fits. */
export function agoText(at: string, now: number): string {
  const seconds = Math.round((Date.parse(at) - now) / 1_000);
  for (const [unit, size] of steps) {
    if (Math.abs(seconds) >= size) return relativeText(Math.trunc(seconds / size), unit);
  }
  return 'just now';
}

/** What was said once: most rows of a list say the same. */
const said = new Map<string, string>();
const mostSaid = 1_000;

function relativeText(count: number, unit: Intl.RelativeTimeFormatUnit): string {
  const key = `${count} ${unit}`;
  const known = said.get(key);
  if (known !== undefined) return known;
  if (said.size >= mostSaid) said.clear();
  const text = ago.format(count, unit);
  said.set(key, text);
  return text;
}

/** A length of time: `850 ms`, `4.2 s`, `3 min 05 s`. */
export function lengthText(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes >= 60) return `${Math.floor(minutes / 60)} h ${twoDigits(minutes % 60)} min`;
  return `${minutes} min ${twoDigits(Math.floor((ms % 60_000) / 1_000))} s`;
}

/** A length of time in whole seconds: tenths that run only flicker. */
export const secondsText = (seconds: number): string =>
  seconds < 60 ? `${seconds} s` : lengthText(seconds * 1_000);
