import { CopyButton } from '../../parts/copy-button.tsx';
import { Dialog } from '../../parts/dialog.tsx';

export interface ShownOnceProps {
  readonly title: string;
  readonly secret: string;
  /** What is copied. */
  readonly what: string;
  readonly onClose: () => void;
}

/** A secret that is in no list, and not in this page once it is closed. */
export function ShownOnce({ title, secret, what, onClose }: ShownOnceProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>Copy it now and hand it to the customer. You will not be able to see it again.</p>
      <div className="row">
        <code className="code">{secret}</code>
        <CopyButton text={secret} what={what} />
      </div>
    </Dialog>
  );
}
