import type { VideoFilter, VideoStatus } from '@gateway/client';
import { SearchField } from '../../parts/search-field.tsx';

export type Filter = Pick<VideoFilter, 'status' | 'model' | 'q' | 'id_prefix'>;

const statuses: readonly VideoStatus[] = [
  'queued',
  'running',
  'succeeded',
  'failed',
  'expired',
  'cancelled',
];

/** The filter that an address holds; what cannot be one is left out. */
export function filterOf(search: URLSearchParams): Filter {
  const status = statuses.find((each) => each === search.get('status'));
  const model = search.get('model') ?? '';
  const q = search.get('q')?.trim() ?? '';
  return {
    ...(status !== undefined && { status }),
    ...(model !== '' && { model }),
    ...(q !== '' && (q.startsWith('video_') ? { id_prefix: q } : { q })),
  };
}

/** A filter as an address holds it. */
export function textOf({ q, id_prefix: idPrefix, ...filter }: Filter): Record<string, string> {
  const words = idPrefix ?? q;
  return { ...filter, ...(words !== undefined && words !== '' && { q: words }) };
}

export const isFiltered = (filter: Filter): boolean => Object.keys(filter).length > 0;

export interface FiltersProps {
  readonly filter: Filter;
  readonly models: readonly string[];
  readonly onChange: (filter: Filter) => void;
}

export function Filters({ filter, models, onChange }: FiltersProps) {
  return (
    <div className="filters" role="search">
      <SearchField
        label="Search prompts or IDs"
        placeholder="Search prompts or IDs ( / )"
        value={filter.id_prefix ?? filter.q ?? ''}
        onChange={(words) => {
          const { q, id_prefix: idPrefix, ...others } = filter;
          if (words === (idPrefix ?? q ?? '')) return;
          onChange({ ...others, ...(words !== '' && { q: words }) });
        }}
      />
      <select
        className="select"
        aria-label="Status"
        value={filter.status ?? ''}
        onChange={({ target }) => {
          const { status, ...others } = filter;
          const next = statuses.find((each) => each === target.value);
          if (next !== status) onChange({ ...others, ...(next !== undefined && { status: next }) });
        }}
      >
        <option value="">All statuses</option>
        {statuses.map((status) => (
          <option key={status}>{status}</option>
        ))}
      </select>
      <select
        className="select"
        aria-label="Model"
        value={filter.model ?? ''}
        onChange={({ target }) => {
          const { model, ...others } = filter;
          if (target.value !== model) {
            onChange({ ...others, ...(target.value !== '' && { model: target.value }) });
          }
        }}
      >
        <option value="">All models</option>
        {models.map((model) => (
          <option key={model}>{model}</option>
        ))}
      </select>
      <button
        type="button"
        className="button button-plain"
        disabled={!isFiltered(filter)}
        onClick={() => {
          onChange({});
        }}
      >
        Clear
      </button>
    </div>
  );
}
