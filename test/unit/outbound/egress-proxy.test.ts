import { describe, expect, it } from '@jest/globals';
import { parseEgressProxy } from '@gateway/outbound';

describe('the setting of the egress proxy', () => {
  it('means no proxy when it is empty', () => {
    expect(parseEgressProxy('')).toBeUndefined();
  });

  it.each([
    ['http://proxy.example:3128', { host: 'proxy.example', port: 3128, authorization: undefined }],
    ['http://proxy.example/', { host: 'proxy.example', port: 80, authorization: undefined }],
    ['http://[fd00::1]:3128', { host: 'fd00::1', port: 3128, authorization: undefined }],
    [
      'http://me:pass@10.0.0.1:1',
      { host: '10.0.0.1', port: 1, authorization: `Basic ${btoa('me:pass')}` },
    ],
    [
      'http://me:p%40%3A%25@proxy',
      { host: 'proxy', port: 80, authorization: `Basic ${btoa('me:p@:%')}` },
    ],
  ])('%s is read', (text, expected) => {
    expect(parseEgressProxy(text)).toEqual(expected);
  });

  it.each([
    'proxy:3128',
    'https://proxy',
    'socks5://proxy',
    'http://',
    'http://secret@proxy/path',
    'http://secret@proxy?a',
    'http://secret@proxy#',
    'http://me:sec%ret@proxy',
  ])('%s is refused without repeating it', (text) => {
    expect(() => parseEgressProxy(text)).toThrow('http://user:password@host:port');
    expect(() => parseEgressProxy(text)).not.toThrow(/sec(%?)ret/);
  });
});
