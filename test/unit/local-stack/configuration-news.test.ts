import { appendFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  followConfiguration,
  newsIn,
} from '../../../packages/local-stack/src/configuration-news.ts';
import { aFolder, becomesTrue } from './stand-in.ts';

const line = (fields: object): string => `${JSON.stringify({ level: 'info', ...fields })}\n`;
const applied = line({ message: 'configuration applied', hash: 'b', before: 'a' });
const refused = line({
  message: 'configuration refused, the previous version stays in use',
  problems: ['gateway.yaml:3: kind must be one of ark, minimax', 'gateway.yaml:9: unknown key'],
});

describe('what a log line says about the configuration', () => {
  it('names the file that is in use now', () => {
    expect(newsIn(applied, 'config/gateway.yaml')).toBe(
      'config/gateway.yaml was changed: it is in use now',
    );
  });

  it('names every problem of a file that is refused', () => {
    expect(
      newsIn(refused, 'config/gateway.yaml')
        ?.split('\n')
        .map((each) => each.trim()),
    ).toEqual([
      'config/gateway.yaml was changed and is refused; the version before stays in use:',
      'gateway.yaml:3: kind must be one of ark, minimax',
      'gateway.yaml:9: unknown key',
    ]);
  });

  it.each([
    line({ message: 'configuration in use', hash: 'a' }),
    line({ message: 'request', path: '/v1/models' }),
    '{"message":"configuration appl',
    '',
  ])('is nothing for any other line: %s', (other) => {
    expect(newsIn(other, 'config/gateway.yaml')).toBeUndefined();
  });
});

describe('following the configuration of a running suite', () => {
  const cleanUps: (() => void)[] = [];
  afterEach(() => {
    for (const cleanUp of cleanUps.splice(0)) cleanUp();
  });

  it('tells what is logged from now on, and a line only when it is whole', async () => {
    const place = aFolder();
    const logFile = place.file('api.log', refused);
    const told: string[] = [];
    const stop = followConfiguration({ logFile, shownFile: 'g.yaml' }, (news) => told.push(news));
    cleanUps.push(stop, place.remove);

    appendFileSync(logFile, applied.slice(0, 20));
    appendFileSync(logFile, applied.slice(20));
    await becomesTrue(() => told.length > 0);

    expect(told).toEqual(['g.yaml was changed: it is in use now']);
  });
});
