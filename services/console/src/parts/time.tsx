import { useSyncExternalStore } from 'react';
import { agoText, momentText, secondsText } from './format.ts';
import { leftText, type Pace } from './pace.ts';
import { createTicker, type Ticker } from './ticker.ts';

const seconds = createTicker(1_000);
const halfMinutes = createTicker(30_000);

/** A text that depends on the present: rendered again only when it reads otherwise. */
const useTicking = (ticker: Ticker, textAt: (now: number) => string): string =>
  useSyncExternalStore(ticker.follow, () => textAt(ticker.now()));

/** How long ago; the moment itself is its title. */
export function Ago({ at }: { at: string }) {
  const text = useTicking(halfMinutes, (now) => agoText(at, now));
  return (
    <time dateTime={at} title={momentText(at)}>
      {text}
    </time>
  );
}

/** What is left of something that began then, running. */
export function Left({ since, pace }: { since: string; pace: Pace }) {
  return <>{useTicking(seconds, (now) => leftText(pace, now - Date.parse(since)))}</>;
}

/** The seconds since a moment, running. */
export function Since({ at }: { at: string }) {
  const elapsed = (now: number): number => Math.max(0, Math.floor((now - Date.parse(at)) / 1_000));
  return <>{useTicking(seconds, (now) => secondsText(elapsed(now)))}</>;
}
