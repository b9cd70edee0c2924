import { once } from 'node:events';
import { Readable } from 'node:stream';
import {
  createHealth,
  createHttpApp,
  createLogger,
  createMetrics,
  httpServerPart,
  runService,
} from '@gateway/runtime';

// A service like any other, whose code throws where nobody awaits it.

const boom = () => {
  throw new Error('nobody expected this');
};
const thrownBy = {
  timer: () => setTimeout(boom),
  immediate: () => setImmediate(boom),
  tick: () => process.nextTick(boom),
  stream: () => Readable.from(['a']).on('data', boom),
  promise: () => void Promise.resolve().then(boom),
  body: (request) => request.on('end', boom).resume(),
};

let isDue = false;
setInterval(() => {
  if (isDue) boom();
}, 5);
const released = new EventTarget();

const routes = (metrics) => (app) => {
  app.get('/counts', async (_request, response) => {
    response.send(await metrics.metrics());
  });
  app.get('/slow', async (_request, response) => {
    response.writeHead(200).write('begun ');
    await once(released, 'release');
    response.end('and ended');
  });
  app.get('/release', (_request, response) => {
    released.dispatchEvent(new Event('release'));
    response.end();
  });
  app.get('/half', (_request, response) => {
    response.writeHead(200).write('half');
    setTimeout(boom);
  });
  app.get('/late', (_request, response) => {
    response.on('close', () => setTimeout(boom)).end('whole');
  });
  app.get('/background', (_request, response) => {
    isDue = true;
    response.end();
  });
  app.post('/throw/:where', (request, response) => {
    response.locals.caller = { accountId: request.get('x-account') };
    thrownBy[request.params.where](request);
  });
};

await runService(() => {
  const log = createLogger({ service: 'faulty', level: 'info', format: 'json' });
  const metrics = createMetrics('faulty');
  const health = createHealth({});
  const handler = createHttpApp({ log, metrics, health, routes: routes(metrics) });
  const server = httpServerPart({ host: '127.0.0.1', port: 0, handler, health, log });
  return { log, parts: [server], exceptionsBeforeRestart: 3 };
});
