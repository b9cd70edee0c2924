import { useId, type ReactNode } from 'react';

export interface ChoiceFieldProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly options: readonly string[];
  readonly onChange: (value: string | undefined) => void;
  /** What the first choice, each model's own value, is called. */
  readonly defaultWord: string;
  readonly mark?: (option: string) => ReactNode;
}

/** A few values, all of them in view. */
export function ChoiceField(props: ChoiceFieldProps) {
  const { label, value, options, onChange, defaultWord, mark } = props;
  const name = useId();
  const choice = (option: string | undefined, shown: ReactNode): ReactNode => (
    <label className="choice" key={option ?? 'default'}>
      <input
        type="radio"
        name={name}
        checked={value === option}
        onChange={() => {
          onChange(option);
        }}
      />
      <span>{shown}</span>
    </label>
  );
  return (
    <fieldset className="field">
      <legend className="label">{label}</legend>
      <div className="choices">
        {choice(undefined, defaultWord)}
        {options.map((option) =>
          choice(
            option,
            <>
              {mark?.(option)}
              {option}
            </>,
          ),
        )}
      </div>
    </fieldset>
  );
}

/** The form of a ratio, as large as a letter. */
export function RatioForm({ ratio }: { ratio: string }) {
  const [wide = 0, high = 0] = ratio.split(':').map(Number);
  if (!(wide > 0 && high > 0)) return null;
  const scale = 13 / Math.max(wide, high);
  return (
    <i className="ratio-form" style={{ width: wide * scale, height: high * scale }} aria-hidden />
  );
}

export interface SwitchFieldProps {
  readonly label: string;
  readonly note?: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

export function SwitchField({ label, note, isOn, onChange }: SwitchFieldProps) {
  return (
    <label className="switch">
      <input
        type="checkbox"
        checked={isOn}
        onChange={({ target }) => {
          onChange(target.checked);
        }}
      />
      <span>
        {label}
        {note !== undefined && <span className="muted"> · {note}</span>}
      </span>
    </label>
  );
}

export interface DurationFieldProps {
  readonly durations: readonly number[];
  readonly canDecide: boolean;
  /** What the models make when nothing is said, if that is the same for all. */
  readonly usual: number | undefined;
  readonly value: number | undefined;
  readonly onChange: (duration: number | undefined) => void;
}

/** Seconds, over what all chosen models offer. */
export function DurationField(props: DurationFieldProps) {
  const { durations, canDecide, usual, value, onChange } = props;
  const id = useId();
  const isChosen = value !== undefined && durations.includes(value);
  const shown = isChosen ? value : usual;
  const words = wordsFor(value === -1, shown);
  return (
    <div className="field">
      <label htmlFor={id}>Duration</label>
      <div className="slider">
        <input
          id={id}
          type="range"
          min={0}
          max={durations.length - 1}
          value={Math.max(0, durations.indexOf(shown ?? -1))}
          aria-valuetext={words}
          onChange={({ target }) => {
            onChange(durations[Number(target.value)]);
          }}
        />
        <output className="number" htmlFor={id}>
          {words}
        </output>
      </div>
      {canDecide && (
        <SwitchField
          label="Let the model decide"
          isOn={value === -1}
          onChange={(isOn) => {
            onChange(isOn ? -1 : undefined);
          }}
        />
      )}
    </div>
  );
}

function wordsFor(isDecided: boolean, seconds: number | undefined): string {
  if (isDecided) return 'auto';
  return seconds === undefined ? 'default' : `${seconds} s`;
}
