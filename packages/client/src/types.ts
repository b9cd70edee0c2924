import type { Body, Filter, Item, Query, Result } from './document-types.ts';

/** A video task, as `GET /v1/videos/{id}` returns it and callbacks push it. */
export type Video = Result<'getVideo'>;
export type VideoStatus = Video['status'];
/** A video whose status changes no more: `succeeded` has `content`, every other has `error`. */
export type FinishedVideo = Exclude<Video, { readonly status: 'queued' | 'running' }>;
/** What a video is to be: `prompt` with `references`, or `content`. */
export type VideoRequest = Body<'createVideo'>;
export type VideoReceipt = Result<'getVideoReceipt'>;
export type ReceiptKeys = Result<'getReceiptKeys'>;
export type VideoQuote = Result<'quoteVideo'>;
export type VideoFilter = Filter<'listVideos'>;
export type VideoMoment = Item<Result<'listVideoMoments'>>;
export type AccountEvent = Item<Result<'listEvents'>>;
export type CurrentSession = Result<'openSession'>;
export type Session = Item<Result<'listSessions'>>;
export type EndedSession = Result<'closeSession'>;
export type ApiKey = Item<Result<'listKeys'>>;
export type NewApiKey = Result<'createKey'>;
export type KeyRequest = Body<'createKey'>;
export type DeletedVideo = Result<'deleteVideo'>;
export type Asset = Result<'createAsset'>;
export type DeletedAsset = Result<'deleteAsset'>;
export type CallbackAttempt = Item<Result<'listVideoCallbacks'>>;
export type Redelivery = Result<'redeliverVideoCallbacks'>;
export type TaskCallback = Item<Result<'listCallbacks'>>;
export type CallbackState = TaskCallback['state'];
export type CallbackRedelivery = Result<'redeliverCallbacks'>;
export type RedeliveryRequest = Body<'redeliverCallbacks'>;
export type CallbackTest = Result<'testCallback'>;
export type CallbackSecret = Result<'getCallbackSecret'>;
export type Endpoint = Result<'getEndpoint'>;
export type EndpointRequest = Body<'createEndpoint'>;
export type EndpointPatch = Body<'changeEndpoint'>;
export type DeletedEndpoint = Result<'deleteEndpoint'>;
export type Model = Result<'getModel'>;
export type Balance = Result<'getBalance'>;
export type LedgerEntry = Item<Result<'listLedgerEntries'>>;
export type Usage = Result<'listUsage'>;
export type UsageFilter = Omit<Query<'listUsage'>, 'format'>;

/** A callback asks for its challenge back before the first push. */
export interface CallbackChallenge {
  readonly type: 'url_verification';
  readonly challenge: string;
}
/** What `callbacks.test` sends, after a challenge. */
export interface CallbackTestEvent {
  readonly type: 'callback.test';
  readonly id: string;
  readonly created_at: string;
}
/** `type` tells the challenge and the test event from a video. */
export type CallbackMessage =
  CallbackChallenge | CallbackTestEvent | (Video & { readonly type?: undefined });

/** Of every call. */
export interface CallOptions {
  /** Ends the call; what it throws is the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

const ended: readonly VideoStatus[] = ['succeeded', 'failed', 'expired', 'cancelled'];

/** Whether a video has its final status. */
export const isFinished = (video: Video): video is FinishedVideo => ended.includes(video.status);
