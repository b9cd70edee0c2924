import { useState } from 'react';
import { Icon } from './icon.tsx';

const shownForMs = 1_500;

/** Pages without TLS have no clipboard, and so no such button. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const [isCopied, setIsCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setIsCopied(true);
    setTimeout(() => {
      setIsCopied(false);
    }, shownForMs);
  };
  if (!window.isSecureContext) return null;
  return (
    <button
      type="button"
      className="button button-small button-plain"
      aria-label={isCopied ? 'Copied' : `Copy ${what}`}
      onClick={() => void copy()}
    >
      <Icon name={isCopied ? 'check' : 'copy'} />
    </button>
  );
}
