import { parentPort } from 'node:worker_threads';
import { renderVideo } from './render-video.ts';
import type { FromWorker, ToWorker } from './worker-messages.ts';

/**
 * The whole life of a render thread: say that the native parts have loaded, then render what comes.
 */
const port = parentPort;
if (port === null) throw new Error('this file is run as a worker thread');

const send = (message: FromWorker, moved: readonly ArrayBuffer[] = []): void => {
  port.postMessage(message, moved);
};

/** A copy in memory of its own, which can be handed to another thread. */
const own = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(bytes);

port.on('message', (spec: ToWorker) => {
  renderVideo(spec).then(
    (video) => {
      const [mp4, lastFrame] = [own(video.mp4), own(video.lastFrame)];
      send({ kind: 'rendered', video: { mp4, lastFrame } }, [mp4.buffer, lastFrame.buffer]);
    },
    (error: unknown) => {
      send({ kind: 'failed', reason: String(error) });
    },
  );
});

send({ kind: 'ready' });
