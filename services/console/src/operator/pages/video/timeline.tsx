import type { TaskDetail } from '@gateway/client';
import { clockText, lengthText, momentText } from '../../../parts/format.ts';
import { MoodForm } from '../../../parts/status-mark.tsx';
import { Section } from '../../parts/section.tsx';
import { momentsOf } from '../../moments.ts';

/** Everything on record, and how long after the moment before it came. */
export function VideoTimeline({ video }: { video: TaskDetail }) {
  const moments = momentsOf(video);
  return (
    <Section
      title="Timeline"
      aside={<span className="small muted">{momentText(video.created_at)}</span>}
    >
      <div className="card-body">
        <ol className="timeline">
          {moments.map(({ at, words, note, mood }, index) => {
            const gapMs = Date.parse(at) - Date.parse(moments[index - 1]?.at ?? at);
            return (
              <li className="moment" key={`${at} ${words}`}>
                <span className={`moment-form moment-${mood === 'good' ? 'plain' : mood}`}>
                  <MoodForm mood={mood} />
                </span>
                <span>{words}</span>
                <time className="moment-time" dateTime={at} title={momentText(at)}>
                  {gapMs > 0 ? `+ ${lengthText(gapMs)}` : clockText(at)}
                </time>
                {note !== undefined && <span className="moment-note">{note}</span>}
              </li>
            );
          })}
        </ol>
      </div>
    </Section>
  );
}
