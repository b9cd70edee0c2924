export function nextVersion(current: string, wanted: string): string;
export function isPatch(version: string): boolean;
export function changelogWith(
  text: string,
  release: { readonly version: string; readonly day: string },
): string;
export function manifestsIn(root: string): string[];
export function manifestWith(
  text: string,
  change: { readonly from: string; readonly to: string },
): string;
export function overlayWith(
  text: string,
  change: { readonly from: string; readonly to: string },
): string;
