import type { MouseEvent, ReactNode } from 'react';
import { useRouter } from 'wouter';
import { navigate } from 'wouter/use-browser-location';

export interface RowLinkProps {
  readonly href: string;
  readonly className?: string;
  readonly title?: string | undefined;
  readonly children: ReactNode;
}

/**
 * A link of a row. The router's own follows the address, each for itself: thousands of them cost
 * much when rows are made, when somebody goes elsewhere, and when they go.
 */
export function RowLink({ href, ...props }: RowLinkProps) {
  const { base } = useRouter();
  return <a {...props} href={base + href} onClick={follow} />;
}

/** What leads elsewhere than to this tab is the browser's. */
function follow(event: MouseEvent<HTMLAnchorElement>): void {
  const { ctrlKey, metaKey, altKey, shiftKey, button, currentTarget } = event;
  if (ctrlKey || metaKey || altKey || shiftKey || button !== 0) return;
  event.preventDefault();
  navigate(currentTarget.href);
}
