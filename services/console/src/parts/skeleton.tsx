/** Holds the place of what is on its way, so that nothing jumps when it arrives. */
export function Skeleton({ width = '100%', height = '16px' }: { width?: string; height?: string }) {
  return <span className="skeleton" style={{ width, height }} />;
}
