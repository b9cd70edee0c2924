import { useEffect, type RefObject } from 'react';

const steps: Readonly<Record<string, 1 | -1>> = { j: 1, k: -1 };

/** `j` and `k` lead from row to row; Enter opens the one that has the focus, as it does any link. */
export function useRowKeys(list: RefObject<HTMLElement | null>, rows: string): void {
  useEffect(() => {
    const move = (event: KeyboardEvent): void => {
      const step = steps[event.key];
      if (step === undefined || isForSomethingElse(event) || list.current === null) return;
      moveFocus([...list.current.querySelectorAll<HTMLElement>(rows)], step);
    };
    document.addEventListener('keydown', move);
    return () => {
      document.removeEventListener('keydown', move);
    };
  }, [list, rows]);
}

/** Whether a key is part of what somebody types, or of a command to the browser. */
export const isForSomethingElse = ({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean =>
  ctrlKey ||
  metaKey ||
  altKey ||
  (target instanceof HTMLElement && target.matches('input, textarea, select'));

function moveFocus(rows: readonly HTMLElement[], step: 1 | -1): void {
  const current = rows.findIndex((row) => row === document.activeElement);
  const next = rows[current === -1 ? 0 : current + step];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}
