import h264 from 'h264-mp4-encoder';
import type { Frames } from './frames.ts';
import { normaliseMp4 } from './mp4-normalise.ts';

/** Fastest search; the picture is simple enough for it. */
const speed = 10;
const quantizationParameter = 27;
const secondsPerKeyframe = 2;
/**
 * The thread yields between this many frames, so that messages get through during a long render.
 */
const framesPerTurn = 24;

const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

let fileNumber = 0;

/** Encodes all frames as H.264 in an MP4 of exactly `count / framesPerSecond` seconds. */
export async function encodeMp4(frames: Frames): Promise<Buffer> {
  const { format, count } = frames;
  const encoder = await h264.createH264MP4Encoder();
  try {
    fileNumber += 1;
    // all encoders of a thread share one virtual file system
    encoder.outputFilename = `${fileNumber}.mp4`;
    encoder.width = format.width;
    encoder.height = format.height;
    encoder.frameRate = format.framesPerSecond;
    encoder.speed = speed;
    encoder.quantizationParameter = quantizationParameter;
    encoder.groupOfPictures = secondsPerKeyframe * format.framesPerSecond;
    encoder.initialize();
    for (let index = 0; index < count; index += 1) {
      encoder.addFrameYuv(frames.frame(index).bytes);
      if (index % framesPerTurn === framesPerTurn - 1) await nextTurn();
    }
    encoder.finalize();
    const file = normaliseMp4(encoder.FS.readFile(encoder.outputFilename));
    encoder.FS.unlink(encoder.outputFilename);
    return file;
  } finally {
    encoder.delete();
  }
}
