import { createCanvas, ImageData } from '@napi-rs/canvas';
import { encodeMp4 } from './encoder.ts';
import { createFrames } from './frames.ts';
import { rgbaFromPlanes, type Planes } from './planes.ts';
import { visibleSpec, type RenderedVideo, type VideoSpec } from './video-spec.ts';

const jpegQuality = 88;

/** Renders one video and its last frame. The same description gives the same bytes. */
export async function renderVideo(described: VideoSpec): Promise<RenderedVideo> {
  const frames = createFrames(visibleSpec(described));
  const mp4 = await encodeMp4(frames);
  return { mp4, lastFrame: toJpeg(frames.frame(frames.count - 1)) };
}

function toJpeg(picture: Planes): Buffer {
  const canvas = createCanvas(picture.width, picture.height);
  canvas
    .getContext('2d')
    .putImageData(new ImageData(rgbaFromPlanes(picture), picture.width, picture.height), 0, 0);
  return canvas.toBuffer('image/jpeg', jpegQuality);
}
