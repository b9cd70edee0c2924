import { describe, expect, it } from '@jest/globals';
import { echoesChallenge } from '@gateway/domain';

const challenge = 'q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJ_-';
const other = challenge.replace('q', 'Q');

describe('a response that echoes the challenge', () => {
  it.each([
    ['the value alone', challenge],
    ['the value and a line feed', `${challenge}\n`],
    ['the value and a Windows line end', `${challenge}\r\n`],
    ['a JSON string', JSON.stringify(challenge)],
    ['a JSON string with white space around', ` ${JSON.stringify(challenge)}\n`],
    ['a JSON object', JSON.stringify({ challenge })],
    ['a JSON object with more in it', JSON.stringify({ ok: true, challenge, at: 1 })],
    ['a printed JSON object', JSON.stringify({ challenge }, null, 2)],
    ['a JSON object with a type of its own', JSON.stringify({ type: 'reply', challenge })],
    ['a form', `challenge=${challenge}`],
    ['a form with more in it', `ok=1&challenge=${challenge}&at=2`],
    ['a form in percent encoding', `challenge=${challenge.replace('-', '%2D')}`],
    ['a form and a line end', `challenge=${challenge}\r\n`],
  ])('is %s', (_case, body) => {
    expect(echoesChallenge(body, challenge)).toBe(true);
  });
});

describe('a response that does not echo the challenge', () => {
  it.each([
    ['nothing', ''],
    ['another value', other],
    ['the value in other letters', challenge.toUpperCase()],
    ['the beginning of the value', challenge.slice(0, -1)],
    ['the value within text', `your challenge was ${challenge}`],
    ['the value before text', `${challenge} received`],
    ['the value after a space', ` ${challenge}`],
    ['the value before a space', `${challenge} `],
    ['the value and two line ends', `${challenge}\n\n`],
    ['the value twice', `${challenge}${challenge}`],
    ['the value on two lines', `${challenge}\n${challenge}`],
    ['an HTML page that shows it', `<html><body>${challenge}</body></html>`],
    ['an HTML page with a form-like beginning', `a=<b>&challenge=${challenge}`],
    [
      'a dump of the whole request',
      `POST /callback HTTP/1.1\r\ncontent-type: application/json\r\n\r\n{"type":"url_verification","challenge":"${challenge}"}`,
    ],
    [
      'the request inside the response of an echo server',
      JSON.stringify({
        method: 'POST',
        json: { type: 'url_verification', challenge },
        data: `{"challenge":"${challenge}"}`,
      }),
    ],
    ['the whole request sent back', JSON.stringify({ type: 'url_verification', challenge })],
    [
      'the whole request sent back with its members turned round',
      JSON.stringify({ challenge, type: 'url_verification' }, null, 2),
    ],
    [
      'the whole request sent back with more in it',
      JSON.stringify({ ok: true, type: 'url_verification', challenge }),
    ],
    ['the whole request sent back as a form', `type=url_verification&challenge=${challenge}`],
    [
      'a JSON string of the request',
      JSON.stringify(JSON.stringify({ type: 'url_verification', challenge })),
    ],
    ['a JSON object with another value', JSON.stringify({ challenge: other })],
    ['a JSON object without a challenge', JSON.stringify({ value: challenge })],
    ['a JSON object whose challenge is an object', JSON.stringify({ challenge: { challenge } })],
    ['a JSON object whose challenge is a list', JSON.stringify({ challenge: [challenge] })],
    ['a JSON object with the name in other letters', JSON.stringify({ Challenge: challenge })],
    ['a JSON list', JSON.stringify([challenge])],
    ['a JSON list of an object', JSON.stringify([{ challenge }])],
    ['a JSON null', 'null'],
    ['a JSON number', '1'],
    ['broken JSON', `{"challenge":"${challenge}"`],
    ['two JSON values', `${JSON.stringify(challenge)}${JSON.stringify(challenge)}`],
    ['a form with the challenge twice', `challenge=${challenge}&challenge=${challenge}`],
    ['a form with two challenges', `challenge=${other}&challenge=${challenge}`],
    ['a form with another value', `challenge=${other}`],
    ['a form with an index', `challenge[]=${challenge}`],
    ['a form without a name', `=${challenge}`],
    ['a form without the challenge', `value=${challenge}`],
    ['a query with its question mark', `?challenge=${challenge}`],
    ['an address that carries it', `https://example.com/?challenge=${challenge}`],
  ])('is %s', (_case, body) => {
    expect(echoesChallenge(body, challenge)).toBe(false);
  });

  it.each([
    ['an inherited challenge', `{"__proto__":{"challenge":"${challenge}"}}`],
    [
      'an inherited challenge of a constructor',
      `{"constructor":{"prototype":{"challenge":"${challenge}"}}}`,
    ],
  ])('is %s', (_case, body) => {
    expect(echoesChallenge(body, challenge)).toBe(false);
  });

  it('is an object that has it only from a polluted prototype', () => {
    Object.defineProperty(Object.prototype, 'challenge', { value: challenge, configurable: true });
    try {
      expect([echoesChallenge('{}', challenge), echoesChallenge('[]', challenge)]).toEqual([
        false,
        false,
      ]);
    } finally {
      Reflect.deleteProperty(Object.prototype, 'challenge');
    }
  });
});
