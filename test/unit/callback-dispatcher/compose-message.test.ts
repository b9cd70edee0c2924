import { describe, expect, it } from '@jest/globals';
import { videoResource, type Task } from '@gateway/contracts';
import type { ClaimedCallback } from '@gateway/store';
import { Webhook } from 'standardwebhooks';
import {
  composeMessage,
  headersOf,
} from '../../../services/callback-dispatcher/src/use-cases/compose-message.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const links = {
  video: (id: string) => `https://gateway.example/v1/videos/${id}/content?token=t`,
  lastFrame: (id: string) => `https://gateway.example/v1/videos/${id}/last-frame?token=t`,
  poster: (id: string) => `https://gateway.example/v1/videos/${id}/poster?token=t`,
};
const callback: ClaimedCallback = {
  state: 'unverified',
  failures: 2,
  challenge: 'the-challenge',
  dueInMs: null,
  manual: false,
  heldBackMs: 0,
};

const task: Task = {
  id: 'video_01jzz0000000000000000000ab',
  accountId: 'acct_01jzz0000000000000000000ab',
  requestId: 'req_7',
  model: 'sandbox-video',
  status: 'succeeded',
  step: 'done',
  epoch: 4,
  eventSequence: 3,
  request: {
    prompt: '猫',
    references: [],
    ratio: '16:9',
    duration: 5,
    resolution: '480p',
    watermark: false,
    seed: null,
    generateAudio: false,
    returnLastFrame: true,
    metadata: { order: '猫 7' },
    unsupported: [],
  },
  vendor: {
    provider: 'sandbox',
    kind: 'ark',
    baseUrl: 'http://127.0.0.1:9',
    credentialId: 'c',
    upstreamModel: 'm',
    taskId: 'v',
  },
  vendorOutput: null,
  stepFailures: 0,
  price: { secondQuota: 10, reservedSeconds: 5, maxQuota: 50 },
  billed: { seconds: 4, quota: 40 },
  failure: null,
  result: {
    seconds: 4,
    width: 640,
    height: 368,
    hasAudio: false,
    ratio: '16:9',
    resolution: '480p',
    seed: 3,
    completionTokens: 9,
    totalTokens: 9,
  },
  callbackUrl: 'https://receiver.example/',
  createdAt: new Date('2026-05-04T10:00:00Z'),
  admittedAt: null,
  submittingAt: null,
  startedAt: new Date('2026-05-04T10:00:01Z'),
  completedAt: new Date('2026-05-04T10:00:05Z'),
  expiresAt: new Date('2026-05-04T11:00:00Z'),
  retentionDays: 30,
  cancelRequestedAt: null,
  mediaPurgedAt: null,
};
const textOf = (body: Uint8Array): string => Buffer.from(body).toString('utf8');

describe('the message of a push', () => {
  it('is the task resource for the status of the event, not of the task', () => {
    const message = composeMessage(
      { kind: 'push', push: { sequence: 2, status: 'running', attempts: 1 } },
      { task, callback, links },
    );

    expect(JSON.parse(textOf(message.body))).toEqual(videoResource(task, links, 'running'));
    expect(JSON.parse(textOf(message.body))).not.toHaveProperty('content');
    expect(message).toMatchObject({
      event: 'video.status_changed',
      sequence: 2,
      attempt: 2,
      challenge: null,
    });
  });

  it('has an id of its task and sequence alone, without a dot', () => {
    const ids = [0, 5].map(
      (attempts) =>
        composeMessage(
          { kind: 'push', push: { sequence: 3, status: 'succeeded', attempts } },
          { task, callback, links },
        ).id,
    );

    expect(ids).toEqual(['msg_01jzz0000000000000000000ab_3', 'msg_01jzz0000000000000000000ab_3']);
  });
});

describe('the message of a challenge', () => {
  it('asks for the value that the callback keeps', () => {
    const message = composeMessage({ kind: 'challenge' }, { task, callback, links });

    expect(textOf(message.body)).toBe('{"type":"url_verification","challenge":"the-challenge"}');
    expect(message).toMatchObject({
      id: 'msg_01jzz0000000000000000000ab_challenge',
      event: 'callback.challenge',
      sequence: null,
      attempt: 3,
      challenge: 'the-challenge',
    });
  });
});

describe('the headers of an attempt', () => {
  const message = composeMessage(
    { kind: 'push', push: { sequence: 3, status: 'succeeded', attempts: 0 } },
    { task, callback, links },
  );

  it('identify the event, the attempt and the request that made the task', () => {
    expect(
      headersOf(message, {
        task,
        secrets: [secret],
        endpointId: null,
        now: new Date(1_800_000_000_900),
      }),
    ).toEqual({
      'content-type': 'application/json',
      'webhook-id': 'msg_01jzz0000000000000000000ab_3',
      'webhook-timestamp': '1800000000',
      'webhook-signature': expect.stringMatching(/^v1,[\w+/]{43}=$/),
      'x-gateway-event': 'video.status_changed',
      'x-gateway-sequence': '3',
      'x-gateway-attempt': '1',
      'x-gateway-task': task.id,
      'x-request-id': 'req_7',
    });
  });

  it('name the endpoint that they go to', () => {
    const addressing = { task, secrets: [secret], endpointId: 'endpoint_1', now: new Date() };

    expect(headersOf(message, addressing)).toMatchObject({ 'x-gateway-endpoint': 'endpoint_1' });
  });

  it('carry no sequence for a challenge, which is no event', () => {
    expect(
      headersOf(composeMessage({ kind: 'challenge' }, { task, callback, links }), {
        task,
        secrets: [secret],
        endpointId: null,
        now: new Date(),
      }),
    ).not.toHaveProperty('x-gateway-sequence');
  });

  it('sign the very bytes that are sent', () => {
    const headers = headersOf(message, {
      task,
      secrets: [secret],
      endpointId: null,
      now: new Date(),
    });

    expect(new Webhook(secret).verify(textOf(message.body), headers)).toEqual(
      JSON.parse(textOf(message.body)),
    );
  });

  it('are not made for an account without a secret: an unsigned push never leaves', () => {
    expect(() =>
      headersOf(message, { task, secrets: [], endpointId: null, now: new Date() }),
    ).toThrow('no valid callback secret');
  });
});
