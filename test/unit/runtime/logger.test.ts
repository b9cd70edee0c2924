import { describe, expect, it } from '@jest/globals';
import { createLogger, currentContext, runWith } from '@gateway/runtime';
import { fieldsIn, linesOf } from './recording.ts';

const aLogger = (
  level = 'info',
  format = 'json',
): { log: ReturnType<typeof createLogger>; lines: readonly string[] } => {
  const log = createLogger({ service: 'api', level, format });
  return { log, lines: linesOf(log) };
};

describe('a line of the log', () => {
  it('is a sentence with its fields, the service and the time', () => {
    const { log, lines } = aLogger();
    log.info('task created', { taskId: 'video_1', quota: 500 });

    expect(fieldsIn(lines)).toStrictEqual([
      {
        level: 'info',
        message: 'task created',
        service: 'api',
        taskId: 'video_1',
        quota: 500,
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      },
    ]);
  });

  it('needs no fields', () => {
    const { log, lines } = aLogger();
    log.warn('slow');

    expect(fieldsIn(lines)).toMatchObject([{ level: 'warn', message: 'slow' }]);
  });

  it.each([
    ['error', ['error']],
    ['warn', ['error', 'warn']],
    ['info', ['error', 'warn', 'info']],
    ['debug', ['error', 'warn', 'info', 'debug']],
  ])('is written from level %s upwards', (level, written) => {
    const { log, lines } = aLogger(level);
    log.error('x');
    log.warn('x');
    log.info('x');
    log.debug('x');

    expect(fieldsIn(lines).map((line) => line['level'])).toEqual(written);
  });

  it('is without secrets, in the sentence and in every field', () => {
    const { log, lines } = aLogger();
    log.error('refused sk-gw-abc', {
      url: '/a?token=abc',
      error: new Error('Bearer abc', { cause: new Error('whsec_abc') }),
      headers: [{ 'x-api-key': 'sk-gw-abc' }],
    });

    expect(lines.join()).not.toContain('abc');
    expect(fieldsIn(lines)).toMatchObject([
      {
        message: 'refused sk-gw-[redacted]',
        error: { message: 'Bearer [redacted]', cause: { message: 'whsec_[redacted]' } },
      },
    ]);
  });

  it('is for a person, when asked', () => {
    const { log, lines } = aLogger('info', 'text');
    log.info('listening', { port: 8080 });
    log.info('stopped');

    expect(lines).toEqual([
      expect.stringMatching(/^\S+Z info api listening \{"port":8080\}$/),
      expect.stringMatching(/^\S+Z info api stopped$/),
    ]);
  });
});

describe('the context of a line', () => {
  it('is that of the request, through everything that it awaits', async () => {
    const { log, lines } = aLogger();
    await runWith({ requestId: 'req_1', taskId: 'video_1' }, async () => {
      await Promise.resolve();
      setImmediate(() => {
        log.info('inside');
      });
      await new Promise(setImmediate);
      log.info('still inside', { step: 'poll' });
    });
    log.info('outside');

    const [inside, still, outside] = fieldsIn(lines);
    expect(inside).toMatchObject({ message: 'inside', requestId: 'req_1', taskId: 'video_1' });
    expect(still).toMatchObject({
      message: 'still inside',
      requestId: 'req_1',
      taskId: 'video_1',
      step: 'poll',
    });
    expect(outside).not.toHaveProperty('requestId');
  });

  it('is not that of another request at the same time', async () => {
    const { log, lines } = aLogger();
    const request = (requestId: string): Promise<void> =>
      runWith({ requestId }, async () => {
        await new Promise(setImmediate);
        log.info(requestId);
      });
    await Promise.all([request('req_1'), request('req_2')]);

    expect(fieldsIn(lines).map((line) => [line['message'], line['requestId']])).toEqual([
      ['req_1', 'req_1'],
      ['req_2', 'req_2'],
    ]);
  });

  it('ends with its body, whose result it passes on', () => {
    expect(runWith({ requestId: 'req_1' }, () => currentContext())).toEqual({ requestId: 'req_1' });
    expect(currentContext()).toBeUndefined();
  });
});
