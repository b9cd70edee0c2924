import type { Video } from '@gateway/client';
import { contentOf } from './video-parts.ts';

/**
 * A small picture of a video: its poster, or its last frame where it has none and that was kept.
 * Never a player. Where there is neither it is empty, and the styles draw a film.
 */
export function Thumb({ video }: { video: Video }) {
  const { poster_url: poster, last_frame_url: lastFrame } = contentOf(video) ?? {};
  const picture = poster ?? lastFrame;
  return (
    <span className="thumb">
      {picture !== undefined && (
        <img
          src={picture}
          alt={poster === undefined ? 'Last frame' : 'First frame'}
          loading="lazy"
          decoding="async"
          width={72}
          height={48}
        />
      )}
    </span>
  );
}
