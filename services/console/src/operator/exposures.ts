import type { Exposure, ExposureFilter } from '@gateway/client';

/** How each kind of exposure came about. */
export const exposureKinds: Readonly<Record<Exposure['kind'], string>> = {
  late_success: 'Made after its deadline',
  submission_unknown: 'Perhaps made: the vendor did not say',
  orphan: 'At the vendor, without a task here',
  output_lost: 'Made, and lost before it was kept',
  watch_ended: 'Perhaps made: no longer watched',
};

/** The filter that an address says; a kind that there is not is left out. */
export function exposureFilterOf(search: URLSearchParams): ExposureFilter {
  const kind = (Object.keys(exposureKinds) as Exposure['kind'][]).find(
    (each) => each === search.get('kind'),
  );
  return kind === undefined ? {} : { kind };
}

/** The same address with another kind, or without one. */
export function withKind(search: URLSearchParams, kind: string): URLSearchParams {
  const next = new URLSearchParams(search);
  if (kind === '') next.delete('kind');
  else next.set('kind', kind);
  return next;
}

/** What the vendor asked, or may have asked. */
export const exposureCostText = ({
  vendor_cost: cost,
  vendor_currency: currency,
}: Pick<Exposure, 'vendor_cost' | 'vendor_currency'>): string =>
  cost === null ? 'not known' : `${cost} ${currency ?? ''}`.trim();
