import { useQuery } from '@tanstack/react-query';
import { refusedVersionsOf, versionsInForce } from '../gateway-status.ts';
import { statusQuery } from '../queries.ts';

/** Says that a version of the configuration was refused, and why; nothing where none was. */
export function RefusedConfiguration() {
  const { data } = useQuery(statusQuery);
  const refused = refusedVersionsOf(data?.replicas ?? []);
  return refused.map(({ hash, problems, services }) => (
    <div className="note note-bad" role="status" key={hash}>
      <p>
        {services.join(', ')} refused version <code>{hash.slice(0, 12)}</code> of the configuration
        and {services.length === 1 ? 'goes' : 'go'} on with the one before:
      </p>
      <ul>
        {problems.map((problem) => (
          <li key={problem} className="mono">
            {problem}
          </li>
        ))}
      </ul>
    </div>
  ));
}

/** How many versions of the configuration are in force, where that is more than one. */
export function VersionsInForce() {
  const { data } = useQuery(statusQuery);
  const versions = versionsInForce(data?.replicas ?? []).length;
  if (versions < 2) return null;
  return (
    <span className="small muted">
      {versions} versions of the configuration in force: a change under way, or a replica that
      refuses it
    </span>
  );
}
