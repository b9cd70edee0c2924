export { GatewayClient, type FollowedEvent } from './gateway-client.ts';
export type { ClientOptions } from './transport.ts';
export {
  ApiError,
  ConnectionError,
  FileChangedError,
  GatewayError,
  SignatureError,
  type Violation,
} from './errors.ts';
export {
  newIdempotencyKey,
  positionOf,
  type CreateOptions,
  type IncludeOptions,
  type Videos,
  type WaitOptions,
} from './videos.ts';
export type { Download, DownloadOptions } from './download.ts';
export type { EventOptions, VideoEvent } from './video-events.ts';
export type { Assets, UploadOptions } from './assets.ts';
export type {
  Followed,
  FollowOptions,
  FollowOptions as AccountEventOptions,
} from './followed-events.ts';
export type { List, ListOptions, Page } from './pages.ts';
export type { Callbacks } from './callbacks.ts';
export type { Endpoints } from './endpoints.ts';
export type { Keys } from './keys.ts';
export type { Sessions } from './sessions.ts';
export type { Models } from './account.ts';
export { OperatorClient, type OnceOptions } from './operator.ts';
export type * from './operator-types.ts';
export type { TextDialect, TextEnd, TextOptions, TextRequest, Texts } from './text.ts';
export { verifyCallback, type MessageHeaders, type VerifyOptions } from './callback-signature.ts';
export { isFinished } from './types.ts';
export type * from './types.ts';
