import { useId } from 'react';
import { Icon } from '../../parts/icon.tsx';
import type { Others } from './fields.ts';

export interface OtherFieldsProps {
  readonly others: Others;
  readonly onChange: (others: Others) => void;
}

/** Fields of the original request that the form does not have: they are sent again unless removed. */
export function OtherFields({ others, onChange }: OtherFieldsProps) {
  const id = useId();
  const fields = Object.entries(others);
  if (fields.length === 0) return null;
  return (
    <div className="field">
      <span className="label" id={id}>
        From the original request
      </span>
      <ul className="chosen-models" aria-labelledby={id}>
        {fields.map(([name, value]) => (
          <li className="chip" key={name} title={JSON.stringify(value)}>
            {wordsOf(name, value)}
            <button
              type="button"
              aria-label={`Remove ${name}`}
              onClick={() => {
                onChange(Object.fromEntries(fields.filter(([each]) => each !== name)));
              }}
            >
              <Icon name="cross" size={12} />
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

const wordsOf = (name: string, value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? `${name}: ${value}` : name;
