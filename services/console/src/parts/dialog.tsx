import { useEffect, useId, useRef, type ReactNode } from 'react';
import { Icon } from './icon.tsx';

export interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly isSmall?: boolean;
  readonly children: ReactNode;
}

/** The browser's own dialog: it keeps the focus inside, and Escape closes it. */
export function Dialog({ title, onClose, isSmall = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog
      ref={dialog}
      className={isSmall ? 'dialog-small' : undefined}
      aria-labelledby={titleId}
      onClose={onClose}
    >
      <div className="card-head">
        <h2 id={titleId}>{title}</h2>
        <button
          type="button"
          className="button button-small button-plain"
          aria-label="Close"
          onClick={() => dialog.current?.close()}
        >
          <Icon name="cross" />
        </button>
      </div>
      <div className="card-body stack">{children}</div>
    </dialog>
  );
}
