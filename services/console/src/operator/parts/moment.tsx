import { momentText } from '../../parts/format.ts';
import { Ago } from '../../parts/time.tsx';

/** A moment, and how far away it is. */
export function Moment({ at }: { at: string }) {
  return (
    <>
      {momentText(at)}{' '}
      <span className="muted">
        · <Ago at={at} />
      </span>
    </>
  );
}
