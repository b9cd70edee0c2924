import { describe, expect, it } from '@jest/globals';
import { OutboundError, toOutboundError } from '../../../packages/outbound/src/outbound-error.ts';

describe('the class of a network failure', () => {
  it.each([
    ['ECONNREFUSED', 'connection_refused'],
    ['ECONNRESET', 'connection_reset'],
    ['EPIPE', 'connection_reset'],
    ['ETIMEDOUT', 'timeout_connect'],
    ['HPE_INVALID_CONSTANT', 'invalid_answer'],
    ['HPE_HEADER_OVERFLOW', 'invalid_answer'],
    ['EHOSTUNREACH', 'network_error'],
    ['ENETUNREACH', 'network_error'],
  ])('of %s is %s', (code, expected) => {
    expect(toOutboundError(Object.assign(new Error('connect 10.1.2.3:80'), { code })).code).toBe(
      expected,
    );
  });

  it('is kept when another library wrapped our error', () => {
    const own = new OutboundError('blocked_address', { blockedAddress: '10.1.2.3' });

    expect(toOutboundError(new Error('outer', { cause: new Error('inner', { cause: own }) }))).toBe(
      own,
    );
  });

  it('never repeats the system message, which carries addresses', () => {
    const { message } = toOutboundError(
      Object.assign(new Error('connect ECONNREFUSED 10.1.2.3:80'), { code: 'ECONNREFUSED' }),
    );

    expect(message).toBe('the connection was refused (ECONNREFUSED)');
  });

  it.each([[undefined], ['text'], [{}], [null]])('of %p is network_error', (thrown) => {
    expect(toOutboundError(thrown).code).toBe('network_error');
  });
});
