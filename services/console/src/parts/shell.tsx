import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { switchTheme } from '../theme.ts';
import type { Destination } from './destinations.ts';
import { Icon } from './icon.tsx';
import { Palette, PaletteButton, usePalette, type PaletteProps } from './palette.tsx';

export interface ShellProps extends Omit<PaletteProps, 'onClose'> {
  readonly destinations: readonly Destination[];
  /** Below the pages of the menu. */
  readonly more?: ReactNode;
  /** At the foot of the menu. */
  readonly foot?: ReactNode;
  /** Whose pages these are, where that is not the customer's. */
  readonly whose?: string;
  readonly onLeave: () => Promise<void>;
  readonly children: ReactNode;
}

/** What surrounds every page: where one can go, what to know everywhere, and the way out. */
export function Shell(props: ShellProps) {
  const { destinations, more, foot, whose, onLeave, children, ...search } = props;
  const [location] = useLocation();
  const side = useRef<HTMLElement>(null);
  const palette = usePalette();
  const home = destinations[0]?.path ?? '/';
  useEffect(() => {
    if (side.current?.matches(':popover-open') === true) side.current.hidePopover();
  }, [location]);
  return (
    <div className="shell">
      <a className="button skip" href="#content">
        Skip to content
      </a>
      <TopBar home={home} whose={whose} />
      <nav className="side" id="side" popover="auto" ref={side} aria-label="Console">
        <Brand home={home} whose={whose} />
        <PaletteButton
          onOpen={() => {
            palette.setIsOpen(true);
          }}
        />
        <ul className="navigation">
          {destinations.map((destination) => (
            <li key={destination.path}>
              <NavigationLink {...destination} isHere={location.startsWith(destination.path)} />
            </li>
          ))}
          <li>
            <a href="/docs">
              <Icon name="book" /> API reference
            </a>
          </li>
          {more}
        </ul>
        <div className="side-foot">
          {foot}
          <SideButtons onLeave={onLeave} />
        </div>
      </nav>
      <main className="main" id="content" tabIndex={-1}>
        {children}
      </main>
      {palette.isOpen && (
        <Palette
          {...search}
          onClose={() => {
            palette.setIsOpen(false);
          }}
        />
      )}
    </div>
  );
}

/** Of a narrow page, whose menu opens over it. */
function TopBar(brand: BrandProps) {
  return (
    <header className="top">
      <Brand {...brand} />
      <button
        type="button"
        className="button button-plain"
        popoverTarget="side"
        aria-label="Open menu"
      >
        <Icon name="menu" />
      </button>
    </header>
  );
}

function NavigationLink({ path, name, icon, isHere }: Destination & { isHere: boolean }) {
  return (
    <Link href={path} aria-current={isHere ? 'page' : undefined}>
      <Icon name={icon} /> {name}
    </Link>
  );
}

export interface BrandProps {
  readonly home: string;
  readonly whose?: string | undefined;
}

export function Brand({ home, whose }: BrandProps) {
  return (
    <Link href={home} className="brand">
      <svg className="brand-mark" width="24" height="24" viewBox="0 0 24 24" aria-hidden="true">
        <rect width="24" height="24" rx="6" fill="currentColor" />
        <path
          d="M7 16.5v-6a5 5 0 0 1 10 0v6"
          fill="none"
          stroke="var(--surface)"
          strokeWidth="2.2"
          strokeLinecap="round"
        />
        <circle cx="12" cy="16" r="1.9" fill="var(--surface)" />
      </svg>
      <span>
        Gateway
        {whose !== undefined && <span className="brand-whose">{whose}</span>}
      </span>
    </Link>
  );
}

function SideButtons({ onLeave }: Pick<ShellProps, 'onLeave'>) {
  const leave = useMutation({ mutationFn: onLeave });
  return (
    <div className="side-buttons">
      <button
        type="button"
        className="button button-small button-plain"
        onClick={() => {
          leave.mutate();
        }}
      >
        <Icon name="leave" /> Log out
      </button>
      <button
        type="button"
        className="button button-small button-plain"
        aria-label="Toggle dark mode"
        onClick={switchTheme}
      >
        <Icon name="theme" />
      </button>
    </div>
  );
}
