import { useQuery } from '@tanstack/react-query';
import type { TaskDetail } from '@gateway/client';
import { CopyButton } from '../../../parts/copy-button.tsx';
import { FailureNote } from '../../../parts/failure-note.tsx';
import { secondsText } from '../../../parts/format.ts';
import { Page } from '../../../parts/page.tsx';
import { Quota } from '../../../parts/quota.tsx';
import { Skeleton } from '../../../parts/skeleton.tsx';
import { StatusMark } from '../../../parts/status-mark.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Facts } from '../../parts/facts.tsx';
import { AccountLink } from '../../parts/id-link.tsx';
import { Section } from '../../parts/section.tsx';
import { videoOfAllQuery } from '../../queries.ts';
import { VideoCallbacks } from './callbacks.tsx';
import { CancelVideo } from './cancel.tsx';
import { VideoExposures, VideoTries } from './tries.tsx';
import { VideoTimeline } from './timeline.tsx';

/** One video of any account: where it stands, what was tried, what it cost. */
export function OperatorVideoPage({ id }: { id: string }) {
  const { data: video, error, refetch } = useQuery(videoOfAllQuery(id));
  return (
    <Page
      title="Video"
      intro={
        <span className="row">
          <code>{id}</code>
          <CopyButton text={id} what="ID" />
        </span>
      }
      actions={video !== undefined && <CancelVideo video={video} />}
    >
      {error !== null && video === undefined && (
        <FailureNote error={error} onRetry={() => void refetch()} />
      )}
      {video === undefined ? (
        error === null && <Skeleton height="480px" />
      ) : (
        <div className="one-video">
          <div className="stack">
            <Standing video={video} />
            <VideoTries video={video} />
            <VideoCallbacks video={video} />
            <VideoExposures video={video} />
          </div>
          <div className="stack">
            <VideoTimeline video={video} />
            <Bill video={video} />
          </div>
        </div>
      )}
    </Page>
  );
}

function Standing({ video }: { video: TaskDetail }) {
  return (
    <Section title="Where it stands" aside={<StatusMark status={video.status} />}>
      <div className="card-body stack">
        {video.error !== null && (
          <div className="note note-bad">
            <p>
              <code>{video.error.code}</code>
            </p>
            {video.error.message !== null && <p>{video.error.message}</p>}
          </div>
        )}
        <Facts
          facts={[
            ['Account', <AccountLink key="account" id={video.account_id} />],
            ['Key', <code key="key">{video.key_id}</code>],
            ['Request', <code key="request">{video.request_id}</code>],
            ['Model', video.model],
            ['Provider', `${video.provider} · ${video.upstream_model}`],
            [
              'Vendor task',
              video.vendor_task_id === null ? (
                <span className="muted">none yet</span>
              ) : (
                <span className="row">
                  <code>{video.vendor_task_id}</code>
                  <CopyButton text={video.vendor_task_id} what="vendor task ID" />
                </span>
              ),
            ],
            ['Step', stepText(video)],
            ['Age', secondsText(video.age_seconds)],
            ['Deadline', <Moment key="deadline" at={video.expires_at} />],
            ['Archived', video.archived ? 'yes' : null],
            ['Deleted', video.deleted_at && <Moment key="deleted" at={video.deleted_at} />],
          ]}
        />
      </div>
    </Section>
  );
}

const stepText = ({ step, step_failures: failures }: TaskDetail): string => {
  if (failures === 0) return step;
  return `${step}, failed ${failures === 1 ? 'once' : `${failures} times in a row`}`;
};

function Bill({ video }: { video: TaskDetail }) {
  const { hold, max_billing_quota: quoted, billed_quota: billed } = video;
  const sums = [
    ['Quoted', quoted],
    ['Held', hold?.quota],
    ['Charged', hold?.charged_quota ?? billed ?? undefined],
  ] as const;
  return (
    <Section
      title="Bill"
      aside={
        <span className="small muted">{hold?.state === 'open' ? 'hold open' : 'in quota'}</span>
      }
    >
      <div className="card-body">
        <dl className="bill-steps">
          {sums.map(([name, quota]) => (
            <div className="bill-step" key={name}>
              <dt>{name}</dt>
              <dd>{quota === undefined ? '–' : <Quota value={quota} />}</dd>
            </div>
          ))}
        </dl>
      </div>
    </Section>
  );
}
