import type { Dice } from './random.ts';

/** How a task of a kind ends when nothing but its own directive goes wrong. */
export type Ending =
  | { readonly status: 'succeeded'; readonly seconds: number }
  | { readonly status: 'failed' | 'expired'; readonly code: string };

export interface TaskKind {
  readonly name: string;
  /** How often it is asked for, relative to the others. */
  readonly weight: number;
  readonly model: 'sandbox-video' | 'sandbox-brief';
  /** Told to the sandbox vendor; empty for a task like any other. */
  readonly directive: string;
  /** Seconds asked for. */
  readonly duration: number;
  readonly ending: Ending;
  /** What else it may come to when the deadline is judged late. */
  readonly orElse?: Ending & { readonly status: 'succeeded' };
}

/** How long the video is that a success of this kind has made; 0 when it has none. */
export function secondsOf({ ending, orElse }: TaskKind): number {
  if (ending.status === 'succeeded') return ending.seconds;
  return orElse?.seconds ?? 0;
}

const succeeded = (seconds: number): Ending & { status: 'succeeded' } => ({
  status: 'succeeded',
  seconds,
});
const failed = (code: string): Ending => ({ status: 'failed', code });
const expired: Ending = { status: 'expired', code: 'expired' };
const usual = { model: 'sandbox-video', duration: 4 } as const;

/**
 * What customers ask for, and what each has to come to. Nothing that the vendor has to count over
 * its own restarts for.
 */
export const taskKinds: readonly TaskKind[] = [
  { ...usual, name: 'plain', weight: 38, directive: '', ending: succeeded(4) },
  { ...usual, name: 'longer', weight: 8, directive: '', duration: 6, ending: succeeded(6) },
  { ...usual, name: 'lose-answer', weight: 9, directive: '[lose-answer]', ending: succeeded(4) },
  { ...usual, name: 'poll-errors', weight: 7, directive: '[poll-errors=3]', ending: succeeded(4) },
  { ...usual, name: 'file-errors', weight: 3, directive: '[file-errors=2]', ending: succeeded(4) },
  { ...usual, name: 'slow', weight: 7, directive: '[slow=3]', ending: succeeded(4) },
  {
    ...usual,
    name: 'actual',
    weight: 6,
    directive: '[actual=4]',
    duration: 7,
    ending: succeeded(4),
  },
  { ...usual, name: 'fail', weight: 5, directive: '[fail]', ending: failed('vendor_error') },
  {
    ...usual,
    name: 'moderate',
    weight: 4,
    directive: '[moderate]',
    ending: failed('content_policy'),
  },
  { ...usual, name: 'expire', weight: 3, directive: '[expire]', ending: expired },
  { ...usual, name: 'no-output', weight: 3, directive: '[no-output]', ending: failed('no_output') },
  { ...usual, name: 'reject', weight: 3, directive: '[reject]', ending: failed('invalid_request') },
  // Past its deadline with us, and finished by the vendor all the same. The last poll takes the video
  // if there was nobody to ask for it earlier.
  {
    name: 'late',
    weight: 4,
    model: 'sandbox-brief',
    directive: '[slow=6]',
    duration: 4,
    ending: expired,
    orElse: succeeded(4),
  },
];

/** Each kind once, while there is room, and then by weight. */
export function dealKinds(count: number, dice: Dice): TaskKind[] {
  const bag = taskKinds.flatMap((kind) => Array.from({ length: kind.weight }, () => kind));
  const dealt = taskKinds.slice(0, count);
  while (dealt.length < count) dealt.push(dice.pick(bag));
  return dice.shuffle(dealt);
}
