import { useEffect, useRef, useState } from 'react';
import { Icon } from './icon.tsx';
import { isForSomethingElse } from './row-keys.ts';

const searchedAfterMs = 300;

export interface SearchFieldProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly onChange: (words: string) => void;
}

/** Searches once nobody has typed for a moment; `/` leads here from anywhere on the page. */
export function SearchField({ label, placeholder, value, onChange }: SearchFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const [words, setWords] = useState(value);
  useEffect(() => {
    setWords(value);
  }, [value]);
  useEffect(() => {
    const timer = setTimeout(() => {
      onChange(words.trim());
    }, searchedAfterMs);
    return () => {
      clearTimeout(timer);
    };
  }, [words]);
  useEffect(() => {
    const focus = (event: KeyboardEvent): void => {
      if (event.key !== '/' || isForSomethingElse(event)) return;
      event.preventDefault();
      input.current?.focus();
    };
    document.addEventListener('keydown', focus);
    return () => {
      document.removeEventListener('keydown', focus);
    };
  }, []);
  return (
    <div className="search">
      <Icon name="search" />
      <input
        ref={input}
        className="input"
        type="search"
        aria-label={label}
        placeholder={placeholder}
        value={words}
        onChange={({ target }) => {
          setWords(target.value);
        }}
      />
    </div>
  );
}
