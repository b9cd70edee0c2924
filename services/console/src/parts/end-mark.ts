import { useEffect, useRef, type RefObject } from 'react';

/** Marks the end of a list: called whenever it comes near what is in view. */
export function useEndMark(onNear: () => void): RefObject<HTMLDivElement | null> {
  const mark = useRef<HTMLDivElement>(null);
  const latest = useRef(onNear);
  useEffect(() => {
    latest.current = onNear;
  });
  useEffect(() => {
    if (mark.current === null) return undefined;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting === true) latest.current();
      },
      { rootMargin: '600px' },
    );
    observer.observe(mark.current);
    return () => {
      observer.disconnect();
    };
  });
  return mark;
}
