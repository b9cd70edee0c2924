import type { KeyRequest } from '@gateway/client';

export type Scope = NonNullable<KeyRequest['scopes']>[number];

const meanings: Readonly<Record<Scope, string>> = {
  'videos:write': 'create, cancel and delete videos; upload assets',
  'videos:read': 'read videos and their files',
  text: 'generate text',
  'billing:read': 'read balance, ledger and usage',
  'secrets:read': 'read the callback signing secret',
  'keys:write': 'create and revoke keys',
};
/** Of a key that names none. */
export const usualScopes: readonly Scope[] = [
  'videos:write',
  'videos:read',
  'text',
  'billing:read',
];

export const allScopes = Object.keys(meanings) as readonly Scope[];

export interface ScopeFieldProps {
  /** Those that can be given. */
  readonly scopes: readonly Scope[];
  readonly chosen: readonly Scope[];
  readonly onChange: (chosen: readonly Scope[]) => void;
}

/** What a key may do. */
export function ScopeField({ scopes, chosen, onChange }: ScopeFieldProps) {
  return (
    <fieldset className="field">
      <legend className="label">Scopes</legend>
      {scopes.map((scope) => (
        <label className="switch" key={scope}>
          <input
            type="checkbox"
            checked={chosen.includes(scope)}
            onChange={({ target }) => {
              onChange(
                target.checked ? [...chosen, scope] : chosen.filter((each) => each !== scope),
              );
            }}
          />
          <span>
            <code>{scope}</code> <span className="muted">{meanings[scope]}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
