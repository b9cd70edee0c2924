import { describe, expect, it } from '@jest/globals';
import { checkOutboundUrl, parseCidrs, type UrlRule } from '@gateway/outbound';
import { hostileHosts, publicHosts } from './hostile-hosts.ts';

const closed: UrlRule = { allowHttp: false, allowCidrs: [] };
const withHttp: UrlRule = { allowHttp: true, allowCidrs: [] };
const opened = (cidrs: string): UrlRule => ({ allowHttp: true, allowCidrs: parseCidrs(cidrs) });

const reasonOf = (text: string, rule: UrlRule): string => {
  const verdict = checkOutboundUrl(text, rule);
  return verdict.ok ? 'ok' : verdict.reason;
};

describe('a URL that a stranger chose', () => {
  it.each(hostileHosts)('is refused when its host is %s', (host) => {
    expect(reasonOf(`https://${host}/path`, closed)).toMatch(/^blocked_(address|name)$/);
    expect(reasonOf(`http://${host}/path`, withHttp)).toMatch(/^blocked_(address|name)$/);
  });

  it.each([...publicHosts, 'receiver.example', 'xn--fsq.example', 'a.b.c.example'])(
    'is taken when its host is %s',
    (host) => {
      expect(checkOutboundUrl(`https://${host}/path?a=1`, closed)).toMatchObject({ ok: true });
    },
  );

  it.each([
    ['http://receiver.example/', closed, 'scheme'],
    ['ftp://receiver.example/', withHttp, 'scheme'],
    ['file:///etc/passwd', withHttp, 'scheme'],
    ['data:text/plain,x', withHttp, 'scheme'],
    ['unix:/run/x.sock', withHttp, 'scheme'],
    ['javascript:alert(1)', withHttp, 'scheme'],
    ['receiver.example/path', closed, 'not_a_url'],
    ['//receiver.example/path', closed, 'not_a_url'],
    ['https://', closed, 'not_a_url'],
    ['https://receiver.example:99999/', closed, 'not_a_url'],
    ['https://[fe80::1%25eth0]/', closed, 'not_a_url'],
    ['', closed, 'not_a_url'],
    ['https://user:pw@receiver.example/', closed, 'credentials'],
    ['https://user@receiver.example/', closed, 'credentials'],
    ['https://receiver.example/#part', closed, 'fragment'],
    ['https://receiver.example/#', closed, 'fragment'],
    ['https://receiver.example:0/', closed, 'port'],
    ['https://receiver.example:22/', closed, 'port'],
    ['https://receiver.example:25/', closed, 'port'],
    ['https://8.8.8.8:1023/', closed, 'port'],
    ['http:/\\127.0.0.1/', withHttp, 'blocked_address'],
    ['https://127.0.\t0.1/', closed, 'blocked_address'],
    [`https://receiver.example/${'a'.repeat(2048)}`, closed, 'too_long'],
  ])('%s is refused: %#', (text, rule, reason) => {
    expect(reasonOf(text, rule)).toBe(reason);
  });

  it.each([
    ['https://receiver.example:443/', closed],
    ['https://receiver.example:80/', closed],
    ['https://receiver.example:1024/', closed],
    ['https://receiver.example:65535/', closed],
    ['http://receiver.example/', withHttp],
    [`https://receiver.example/${'a'.repeat(2048 - 'https://receiver.example/'.length)}`, closed],
  ])('%s is taken', (text, rule) => {
    expect(reasonOf(text, rule)).toBe('ok');
  });

  it('has its own length limit when the caller gives one', () => {
    expect(reasonOf('https://receiver.example/', { ...closed, maxLength: 10 })).toBe('too_long');
  });

  it.each([
    ['http://127.0.0.1:8080/', '127.0.0.1/32', 'ok'],
    ['http://127.0.0.1:22/', '127.0.0.1/32', 'ok'],
    ['http://127.0.0.1:0/', '127.0.0.1/32', 'port'],
    ['http://127.0.0.2/', '127.0.0.1/32', 'blocked_address'],
    ['http://localhost:8080/', '127.0.0.1/32', 'ok'],
    ['http://localhost:22/', '::1/128', 'ok'],
    ['http://localhost:8080/', '10.0.0.0/8', 'blocked_name'],
    ['http://a.localhost./', '127.0.0.0/8', 'ok'],
    ['http://intranet/', '127.0.0.0/8', 'blocked_name'],
    ['http://receiver.ns.svc.cluster.local:8080/', '10.0.0.0/8', 'ok'],
    ['http://intranet/', 'fd00::/8', 'ok'],
    ['http://intranet:22/', '10.0.0.0/8', 'port'],
    ['http://10.1.2.3:25/', '10.0.0.0/8', 'ok'],
    ['http://10.1.2.3/', 'fd00::/8', 'blocked_address'],
    ['http://8.8.8.8:22/', '10.0.0.0/8', 'port'],
  ])('%s with %s opened: %s', (text, cidrs, expected) => {
    expect(reasonOf(text, opened(cidrs))).toBe(expected);
  });

  it.each([
    ['http://receiver.example/', /^must be an https address; got "http:"$/],
    ['https://u:secret@receiver.example/', /^must not contain a user name or password$/],
    ['https://0x7f.1/', /^must point to a public address; 127\.0\.0\.1 is private/],
    ['https://printer.local/', /^must name a public host; "printer\.local"/],
    ['https://receiver.example:22/', /^must use port 80, 443 or any from 1024 up; got 22$/],
    ['nonsense', /^must be an absolute URL such as https:\/\//],
  ])('%s is refused with a message that says what would be right', (text, message) => {
    const verdict = checkOutboundUrl(text, closed);

    expect(verdict.ok ? '' : verdict.message).toMatch(message);
  });
});
