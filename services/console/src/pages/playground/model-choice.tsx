import { useId } from 'react';
import { Icon } from '../../parts/icon.tsx';
import type { VideoModel } from './fields.ts';

export const mostModels = 4;

export interface ModelChoiceProps {
  readonly models: readonly VideoModel[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

/** One model, or up to four that make the same thing side by side. */
export function ModelChoice({ models, chosen, onChange }: ModelChoiceProps) {
  const id = useId();
  const others = models.filter(({ id: name }) => !chosen.includes(name));
  return (
    <div className="field">
      <span className="label" id={id}>
        {chosen.length > 1 ? 'Models, side by side' : 'Model'}
      </span>
      {chosen.length === 1 ? (
        <ModelSelect
          label="Model"
          models={models}
          value={chosen[0]}
          onChoose={(name) => {
            onChange([name]);
          }}
        />
      ) : (
        <Chips chosen={chosen} labelledBy={id} onChange={onChange} />
      )}
      {chosen.length < mostModels && others.length > 0 && (
        <ModelSelect
          label="Compare with…"
          models={others}
          onChoose={(name) => {
            onChange([...chosen, name]);
          }}
        />
      )}
    </div>
  );
}

interface ChipsProps extends Pick<ModelChoiceProps, 'chosen' | 'onChange'> {
  readonly labelledBy: string;
}

function Chips({ chosen, labelledBy, onChange }: ChipsProps) {
  return (
    <ul className="chosen-models" aria-labelledby={labelledBy}>
      {chosen.map((name) => (
        <li className="chip" key={name}>
          {name}
          <button
            type="button"
            aria-label={`Remove ${name}`}
            onClick={() => {
              onChange(chosen.filter((each) => each !== name));
            }}
          >
            <Icon name="cross" size={12} />
          </button>
        </li>
      ))}
    </ul>
  );
}

interface ModelSelectProps {
  readonly label: string;
  readonly models: readonly VideoModel[];
  readonly value?: string | undefined;
  readonly onChoose: (name: string) => void;
}

function ModelSelect({ label, models, value = '', onChoose }: ModelSelectProps) {
  return (
    <select
      className="select"
      aria-label={label}
      value={value}
      onChange={({ target }) => {
        onChoose(target.value);
      }}
    >
      {value === '' && <option value="">{label}</option>}
      {models.map(({ id }) => (
        <option key={id} value={id}>
          {id}
        </option>
      ))}
    </select>
  );
}
