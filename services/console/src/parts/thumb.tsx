import type { Video } from '@gateway/client';
import { Icon } from './icon.tsx';
import { contentOf } from './video-parts.ts';

/** A small picture of a video: its last frame, where that was kept. Never a player. */
export function Thumb({ video }: { video: Video }) {
  const picture = contentOf(video)?.last_frame_url;
  return (
    <span className="thumb">
      {picture === undefined ? (
        <Icon name="film" />
      ) : (
        <img src={picture} alt="" loading="lazy" decoding="async" width={72} height={48} />
      )}
    </span>
  );
}
