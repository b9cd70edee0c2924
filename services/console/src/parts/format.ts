const whole = new Intl.NumberFormat('en');
const moment = new Intl.DateTimeFormat('en', {
  dateStyle: 'medium',
  timeStyle: 'medium',
  hourCycle: 'h23',
});
const clock = new Intl.DateTimeFormat('en', { timeStyle: 'medium', hourCycle: 'h23' });
const day = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short' });
const ago = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });

export const numberText = (value: number): string => whole.format(value);
export const momentText = (at: string): string => moment.format(new Date(at));
export const clockText = (at: string): string => clock.format(new Date(at));
export const dayText = (at: string): string => day.format(new Date(at));

const steps: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** How long ago something was, in the largest unit that fits. */
export function agoText(at: string, now: number): string {
  const seconds = Math.round((Date.parse(at) - now) / 1_000);
  for (const [unit, size] of steps) {
    if (Math.abs(seconds) >= size) return ago.format(Math.trunc(seconds / size), unit);
  }
  return 'just now';
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

const twoDigits = (value: number): string => String(value).padStart(2, '0');
