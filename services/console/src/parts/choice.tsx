export interface ChoiceProps<Value extends string> {
  readonly name: string;
  readonly value: Value;
  readonly options: readonly (readonly [Value, string])[];
  readonly onChange: (value: Value) => void;
}

/** One of a few words, side by side. */
export function Choice<Value extends string>({
  name,
  value,
  options,
  onChange,
}: ChoiceProps<Value>) {
  return (
    <fieldset className="choices">
      <legend className="unseen">{name}</legend>
      {options.map(([each, words]) => (
        <label className="choice" key={each}>
          <input
            type="radio"
            name={name}
            checked={each === value}
            onChange={() => {
              onChange(each);
            }}
          />
          <span>{words}</span>
        </label>
      ))}
    </fieldset>
  );
}
