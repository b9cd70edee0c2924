import { Icon } from '../../parts/icon.tsx';

/** The list is of one account, and can be of all again. */
export function OneAccount({ id, onClear }: { id: string; onClear: () => void }) {
  return (
    <button
      type="button"
      className="button button-small"
      aria-label={`Show all accounts, not only ${id}`}
      onClick={onClear}
    >
      <code>{id}</code> <Icon name="cross" size={12} />
    </button>
  );
}
