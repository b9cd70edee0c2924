import type { Task } from '@gateway/client';
import { SearchField } from '../../../parts/search-field.tsx';
import { OneAccount } from '../../parts/one-account.tsx';
import { ages, failureCodes, isFiltered, statuses, type Fields } from '../../video-filter.ts';

export interface VideoFiltersProps {
  readonly fields: Fields;
  /** Rows that are known: their models and providers are proposed. */
  readonly seen: readonly Task[];
  readonly onChange: (fields: Fields) => void;
}

export function VideoFilters({ fields, seen, onChange }: VideoFiltersProps) {
  const set = (name: keyof Fields) => (value: string) => {
    if (value !== fields[name]) onChange({ ...fields, [name]: value });
  };
  const namesOf = (name: 'model' | 'provider'): readonly string[] =>
    [...new Set([...seen.map((task) => task[name]), fields[name]])].filter(Boolean).toSorted();
  return (
    <div className="operator-filters" role="search">
      <SearchField
        label="Search by video, account or request ID"
        placeholder="Video, account or request ID ( / )"
        value={fields.q}
        onChange={set('q')}
      />
      <Choose name="Status" all="All statuses" value={fields.status} onChange={set('status')}>
        {statuses}
      </Choose>
      <Choose name="Error" all="All errors" value={fields.error} onChange={set('error')}>
        {failureCodes}
      </Choose>
      <Choose name="Model" all="All models" value={fields.model} onChange={set('model')}>
        {namesOf('model')}
      </Choose>
      <Choose
        name="Provider"
        all="All providers"
        value={fields.provider}
        onChange={set('provider')}
      >
        {namesOf('provider')}
      </Choose>
      <Age value={fields.older_than} onChange={set('older_than')} />
      <div className="row spread">
        <Stuck value={fields.stuck} onChange={set('stuck')} />
        <button
          type="button"
          className="button button-plain"
          disabled={!isFiltered(fields)}
          onClick={() => {
            onChange(nothing);
          }}
        >
          Clear
        </button>
      </div>
      {fields.account !== '' && (
        <OneAccount
          id={fields.account}
          onClear={() => {
            set('account')('');
          }}
        />
      )}
    </div>
  );
}

interface FieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function Age({ value, onChange }: FieldProps) {
  return (
    <select
      className="select"
      aria-label="Age"
      value={value}
      onChange={({ target }) => {
        onChange(target.value);
      }}
    >
      <option value="">Any age</option>
      {ages.map(([age, words]) => (
        <option key={age} value={age}>
          Older than {words}
        </option>
      ))}
    </select>
  );
}

function Stuck({ value, onChange }: FieldProps) {
  return (
    <label className="switch">
      <input
        type="checkbox"
        checked={value === 'true'}
        onChange={({ target }) => {
          onChange(target.checked ? 'true' : '');
        }}
      />
      Stuck
    </label>
  );
}

const nothing: Fields = {
  q: '',
  status: '',
  error: '',
  older_than: '',
  model: '',
  provider: '',
  account: '',
  stuck: '',
};

interface ChooseProps {
  readonly name: string;
  readonly all: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly children: readonly string[];
}

function Choose({ name, all, value, onChange, children }: ChooseProps) {
  return (
    <select
      className="select"
      aria-label={name}
      value={value}
      onChange={({ target }) => {
        onChange(target.value);
      }}
    >
      <option value="">{all}</option>
      {children.map((each) => (
        <option key={each}>{each}</option>
      ))}
    </select>
  );
}
