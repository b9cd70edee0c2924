import type { Video } from '@gateway/client';
import { CopyButton } from '../../parts/copy-button.tsx';

/** What was asked for. */
export function RequestCard({ video }: { video: Video }) {
  const { request, metadata } = video;
  const prompt = request?.prompt ?? null;
  return (
    <section className="card" aria-label="Request">
      <div className="card-head">
        <h2>Request</h2>
        {prompt !== null && <CopyButton text={prompt} what="prompt" />}
      </div>
      <div className="card-body stack">
        {prompt === null ? (
          <p className="muted">This gateway does not keep prompts of finished videos.</p>
        ) : (
          <p className="prompt">{prompt}</p>
        )}
        <dl className="facts">
          {factsOf(video).map(([name, value]) => (
            <div className="fact" key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
          {Object.entries(metadata).map(([name, value]) => (
            <div className="fact" key={`metadata ${name}`}>
              <dt>{name}</dt>
              <dd className="mono">{value}</dd>
            </div>
          ))}
        </dl>
      </div>
    </section>
  );
}

/** What is worth a line: what was left as it usually is gets none. */
function factsOf({ request, seed, service_tier: tier, draft, task }: Video): [string, string][] {
  const facts: [string, string | undefined][] = [
    ['Seed', seed === null ? undefined : String(seed)],
    ['Sound', request?.generate_audio === true ? 'yes' : undefined],
    ['Watermark', request?.watermark === true ? 'yes' : undefined],
    ['Service tier', tier],
    ['Draft', draft === true ? 'yes' : undefined],
    ['Task', task],
    ['Callback', request?.callback_url ?? undefined],
    ['References', textOf(request?.references)],
  ];
  return facts.filter((fact): fact is [string, string] => fact[1] !== undefined);
}

const textOf = (references: NonNullable<Video['request']>['references'] | undefined) =>
  references === undefined || references.length === 0
    ? undefined
    : references.map(({ role, url }) => `${role}: ${url ?? 'sent inline'}`).join(', ');
