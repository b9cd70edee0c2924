import type { Usage } from '@gateway/client';
import { numberText } from './format.ts';

/** Requests, seconds, tokens and quota, line by line. */
export function UsageTable({ rows }: { rows: Usage['data'] }) {
  return (
    <div className="card table-frame" role="group" aria-label="Table" tabIndex={0}>
      <table className="small table-wide">
        <caption className="unseen">Usage by time, model and key</caption>
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Model</th>
            <th scope="col">Key</th>
            <th scope="col" className="number">
              Requests
            </th>
            <th scope="col" className="number">
              Seconds
            </th>
            <th scope="col" className="number">
              Input tokens
            </th>
            <th scope="col" className="number">
              Output tokens
            </th>
            <th scope="col" className="number">
              Quota
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={`${row.day} ${row.hour ?? ''} ${row.model} ${row.key_id} ${row.kind}`}>
              <td>{row.hour ?? row.day}</td>
              <td>{row.model}</td>
              <td className="mono">{row.key_id}</td>
              <td className="number">{numberText(row.requests)}</td>
              <td className="number">{numberText(row.seconds)}</td>
              <td className="number">{numberText(row.input_tokens)}</td>
              <td className="number">{numberText(row.output_tokens)}</td>
              <td className="number">{numberText(row.quota)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
