import { useEffect, useId, useState, type KeyboardEvent as PressEvent } from 'react';
import { useLocation } from 'wouter';
import { Dialog } from './dialog.tsx';
import { Icon } from './icon.tsx';
import type { Option } from './palette-options.ts';

const shortcut = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘ K' : 'Ctrl K';

/** Whether the palette is open: Ctrl+K or ⌘K opens it, from wherever one is. */
export function usePalette() {
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => {
    const open = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setIsOpen(true);
    };
    document.addEventListener('keydown', open);
    return () => {
      document.removeEventListener('keydown', open);
    };
  }, []);
  return { isOpen, setIsOpen };
}

export function PaletteButton({ onOpen }: { onOpen: () => void }) {
  return (
    <button type="button" className="button button-wide palette-button" onClick={onOpen}>
      <Icon name="search" /> Go to… <kbd>{shortcut}</kbd>
    </button>
  );
}

/** What some letters lead to, so far. */
export interface Found {
  readonly options: readonly Option[];
  readonly isSearching: boolean;
}

export interface PaletteProps {
  /** What can be typed. */
  readonly placeholder: string;
  /** A hook: what these words lead to. */
  readonly useOptions: (words: string) => Found;
  readonly onClose: () => void;
}

/** Leads anywhere by a few letters. */
export function Palette(props: PaletteProps) {
  return (
    <Dialog title="Go to" isSmall onClose={props.onClose}>
      <Search {...props} />
    </Dialog>
  );
}

function Search({ placeholder, useOptions, onClose }: PaletteProps) {
  const id = useId();
  const [, navigate] = useLocation();
  const [words, setWords] = useState('');
  const [chosen, setChosen] = useState(0);
  const { options, isSearching } = useOptions(words);
  const current = Math.min(chosen, options.length - 1);
  const go = (option: Option | undefined): void => {
    if (option === undefined) return;
    onClose();
    navigate(option.path);
  };
  const press = (event: PressEvent): void => {
    const step = steps[event.key];
    if (event.key === 'Enter') go(options[current]);
    if (step === undefined || options.length === 0) return;
    event.preventDefault();
    setChosen((current + step + options.length) % options.length);
  };
  return (
    <>
      <input
        className="input"
        type="search"
        role="combobox"
        aria-label={placeholder}
        aria-expanded={options.length > 0}
        aria-controls={id}
        aria-activedescendant={options.length > 0 ? `${id}-${current}` : undefined}
        placeholder={placeholder}
        // Found by the dialog, which is shown later than this is made.
        ref={(input) => {
          input?.setAttribute('autofocus', '');
        }}
        value={words}
        onChange={({ target }) => {
          setWords(target.value);
          setChosen(0);
        }}
        onKeyDown={press}
      />
      <Options id={id} options={options} current={current} onGo={go} />
      {options.length === 0 && (
        <p className="small muted" role="status">
          {isSearching ? 'Searching…' : 'No matches'}
        </p>
      )}
    </>
  );
}

const steps: Readonly<Record<string, 1 | -1>> = { ArrowDown: 1, ArrowUp: -1 };

interface OptionsProps {
  readonly id: string;
  readonly options: readonly Option[];
  readonly current: number;
  readonly onGo: (option: Option) => void;
}

function Options({ id, options, current, onGo }: OptionsProps) {
  return (
    <ul className="palette-options" role="listbox" id={id} aria-label="Results">
      {options.map((option, index) => (
        <li
          key={option.path}
          role="option"
          id={`${id}-${index}`}
          aria-selected={index === current}
          onClick={() => {
            onGo(option);
          }}
        >
          <Icon name={option.icon} />
          <span className="palette-name">{option.name}</span>
          <span className="small muted">{option.note}</span>
        </li>
      ))}
    </ul>
  );
}
