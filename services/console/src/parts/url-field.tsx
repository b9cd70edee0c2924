interface UrlFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** An address that has to be given. */
export const UrlField = ({ label, value, onChange }: UrlFieldProps) => (
  <label className="field">
    <span className="label">{label}</span>
    <input
      className="input"
      type="url"
      required
      placeholder="https://…"
      value={value}
      onChange={({ target }) => {
        onChange(target.value);
      }}
    />
  </label>
);
