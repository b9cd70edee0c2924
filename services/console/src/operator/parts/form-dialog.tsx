import { useState, type ReactNode, type SyntheticEvent } from 'react';
import { Dialog } from '../../parts/dialog.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';

export interface FormDialogProps {
  readonly title: string;
  readonly action: string;
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A few fields, and one button that does something with them. */
export function FormDialog(props: FormDialogProps) {
  const { title, action, isPending, error, onSubmit, onClose, children } = props;
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <Dialog title={title} isSmall onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        {children}
        {error !== null && <FailureNote error={error} />}
        <div className="buttons">
          <button className="button button-main" disabled={isPending}>
            {isPending ? 'One moment…' : action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

export interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly note?: string;
  readonly placeholder?: string;
  readonly isRequired?: boolean;
  readonly maxLength?: number;
}

export function TextField(props: TextFieldProps) {
  const { label, value, onChange, note, placeholder, isRequired = false, maxLength } = props;
  return (
    <label className="field">
      <span className="label">{label}</span>
      <input
        className="input"
        required={isRequired}
        placeholder={placeholder}
        maxLength={maxLength}
        value={value}
        onChange={({ target }) => {
          onChange(target.value);
        }}
      />
      {note !== undefined && <span className="field-note">{note}</span>}
    </label>
  );
}

/** A whole number; the browser refuses others. */
export function WholeField(props: TextFieldProps & { readonly min: number }) {
  const { label, value, onChange, note, placeholder, isRequired = false, min } = props;
  return (
    <label className="field">
      <span className="label">{label}</span>
      <input
        className="input"
        type="number"
        inputMode="numeric"
        step={1}
        min={min}
        required={isRequired}
        placeholder={placeholder}
        value={value}
        onChange={({ target }) => {
          onChange(target.value);
        }}
      />
      {note !== undefined && <span className="field-note">{note}</span>}
    </label>
  );
}

/** Whether a dialog is open, and what opens and closes it. */
export function useDialog() {
  const [isOpen, setIsOpen] = useState(false);
  return {
    isOpen,
    open: (): void => {
      setIsOpen(true);
    },
    close: (): void => {
      setIsOpen(false);
    },
  };
}
