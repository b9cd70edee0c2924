import { useQuery } from '@tanstack/react-query';
import { memo, useMemo, useRef } from 'react';
import { Link, useSearchParams } from 'wouter';
import type { Video } from '@gateway/client';
import { rowsPerPage } from '../../gateway/list-query.ts';
import { modelsQuery, videosList } from '../../gateway/queries.ts';
import { FailureNote } from '../../parts/failure-note.tsx';
import { lengthText } from '../../parts/format.ts';
import { Icon } from '../../parts/icon.tsx';
import { ListEnd } from '../../parts/list-end.tsx';
import { Empty, Page } from '../../parts/page.tsx';
import { useRowKeys } from '../../parts/row-keys.ts';
import { RowLink } from '../../parts/row-link.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { StatusMark } from '../../parts/status-mark.tsx';
import { Sums } from '../../parts/sums.tsx';
import { Thumb } from '../../parts/thumb.tsx';
import { Ago } from '../../parts/time.tsx';
import { useList } from '../../parts/use-list.ts';
import { titleOf, tookMs } from '../../parts/video-parts.ts';
import { groupsOf, portionsOf } from './portions.ts';
import { filterOf, Filters, isFiltered, textOf, type Filter } from './filters.tsx';

/** Every video of the account, newest first; the address holds the filter. */
export function VideosPage() {
  const [search, setSearch] = useSearchParams();
  const filter = filterOf(search);
  const { data: models } = useQuery(modelsQuery);
  const names = (models ?? []).filter(({ kind }) => kind === 'video').map(({ id }) => id);
  return (
    <Page
      title="Videos"
      actions={
        <Link href="/playground" className="button button-main">
          <Icon name="plus" /> New video
        </Link>
      }
    >
      <Filters
        filter={filter}
        models={names}
        onChange={(next) => {
          setSearch(textOf(next), { replace: true });
        }}
      />
      <VideoList filter={filter} key={JSON.stringify(filter)} />
    </Page>
  );
}

function VideoList({ filter }: { filter: Filter }) {
  const list = useList(videosList(filter));
  const { data, error, isPending, refetch } = list.query;
  const card = useRef<HTMLDivElement>(null);
  useRowKeys(card, '.video-row-title');
  // A list that is rendered again for another reason costs nothing then.
  const groups = useMemo(
    () => groupsOf(list.items).map(({ key, items }) => <Group key={key} videos={items} />),
    [list.items],
  );
  if (error !== null && data === undefined) {
    return <FailureNote error={error} onRetry={() => void refetch()} />;
  }
  const isAll = data !== undefined && data.next === undefined;
  if (isAll && data.rows.length === 0) return <NoVideos filter={filter} />;
  return (
    <div className="card" ref={card}>
      <RowHead />
      {isPending && <Rows />}
      {groups}
      <ListEnd list={list} />
    </div>
  );
}

function RowHead() {
  return (
    <div className="video-row video-row-head" aria-hidden="true">
      <span />
      <span>Video</span>
      <span>Model</span>
      <span>Status</span>
      <span className="number">Quota</span>
      <span className="number">Created</span>
    </div>
  );
}

/** Of a row that was never in view; of others the browser knows. */
const rowHeight = 65;

interface PortionProps {
  readonly videos: readonly Video[];
}

const heightOf = ({ length }: readonly Video[]) => ({
  containIntrinsicHeight: `auto ${length * rowHeight}px`,
});

const areSame = ({ videos: before }: PortionProps, { videos: after }: PortionProps): boolean =>
  before.length === after.length && before.every((video, index) => video === after[index]);

/** Rendered again only when one of its videos changed, so that a long list stays quick. */
const Group = memo(
  ({ videos }: PortionProps) => (
    <div className="video-group" style={heightOf(videos)}>
      {portionsOf(videos).map(({ key, items }) => (
        <Portion key={key} videos={items} />
      ))}
    </div>
  ),
  areSame,
);

const Portion = memo(
  ({ videos }: PortionProps) => (
    <ul className="video-rows" style={heightOf(videos)}>
      {videos.map((video) => (
        <VideoRow key={video.id} video={video} />
      ))}
    </ul>
  ),
  areSame,
);

/** One text: as several they are several nodes in each row. */
function factsOf(video: Video): string {
  const { resolution, ratio, duration } = video;
  const took = tookMs(video);
  return [
    resolution,
    ratio,
    duration === -1 ? 'auto' : `${duration} s`,
    ...(took === undefined ? [] : [`took ${lengthText(took)}`]),
  ].join(' · ');
}

const VideoRow = memo(function VideoRow({ video }: { video: Video }) {
  return (
    <li className="video-row">
      <Thumb video={video} />
      <div>
        <RowLink className="video-row-title" href={`/videos/${video.id}`}>
          {titleOf(video)}
        </RowLink>
        <span className="small muted">{factsOf(video)}</span>
      </div>
      <span className="small">{video.model}</span>
      <span className="video-row-state">
        <StatusMark status={video.status} />
      </span>
      <span className="number small">
        <Sums video={video} />
      </span>
      <span className="number small muted">
        <Ago at={video.created_at} />
      </span>
    </li>
  );
});

function Rows() {
  return (
    <div className="video-rows" aria-busy="true">
      {Array.from({ length: Math.min(8, rowsPerPage) }, (_none, index) => (
        <div className="video-row" key={index}>
          <Skeleton width="72px" height="48px" />
          <Skeleton height="18px" />
          <Skeleton height="18px" />
          <Skeleton height="22px" />
          <Skeleton height="18px" />
          <Skeleton height="18px" />
        </div>
      ))}
    </div>
  );
}

function NoVideos({ filter }: { filter: Filter }) {
  if (isFiltered(filter)) {
    return (
      <div className="card">
        <Empty title="No matching videos">
          <p className="muted">
            A search matches prompts that contain every word, or part of a word. Status and model
            match exactly.
          </p>
          <Link href="/videos" className="button">
            Clear filters
          </Link>
        </Empty>
      </div>
    );
  }
  return (
    <div className="card">
      <Empty title="No videos yet">
        <p className="muted">
          Videos that you create in the playground or through the API appear here right away.
        </p>
        <pre className="code">{`curl -sS ${window.location.origin}/v1/videos \\
  -H "authorization: Bearer $KEY" -H 'content-type: application/json' \\
  -d '{"model":"…","prompt":"A paper boat on a calm lake"}'`}</pre>
        <Link href="/playground" className="button button-main">
          Create your first video
        </Link>
      </Empty>
    </div>
  );
}
