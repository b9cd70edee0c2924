import { useState, type ReactNode } from 'react';
import { Dialog } from './dialog.tsx';

export interface ConfirmButtonProps {
  readonly label: ReactNode;
  readonly title: string;
  /** What will happen, in words and numbers. */
  readonly children: ReactNode;
  readonly action: string;
  readonly onConfirm: () => void;
}

/** For what cannot be undone: says what will happen, and asks once. */
export function ConfirmButton({ label, title, children, action, onConfirm }: ConfirmButtonProps) {
  const [isOpen, setIsOpen] = useState(false);
  const close = (): void => {
    setIsOpen(false);
  };
  return (
    <>
      <button
        type="button"
        className="button button-danger"
        onClick={() => {
          setIsOpen(true);
        }}
      >
        {label}
      </button>
      {isOpen && (
        <Dialog title={title} isSmall onClose={close}>
          <div className="stack stack-close">{children}</div>
          <div className="buttons">
            <button
              type="button"
              className="button button-danger"
              onClick={() => {
                close();
                onConfirm();
              }}
            >
              {action}
            </button>
            <button type="button" className="button" onClick={close}>
              Cancel
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}
