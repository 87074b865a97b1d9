/** All that the package offers to browsers and Node. What needs files of the machine is in `node.ts`. */
export { ApiError, type ErrorCode, type FailureDetails, isNotSupported } from './api-error.ts';
export { type Client, type ClientSettings, createClient } from './client.ts';
export { type EventType, type StreamedEvent, subscribeToEvents, type SubscribeOptions } from './events.ts';
export * from './generated/index.ts';
export { setDefaultClient } from './operations.ts';
export { paginate } from './paginate.ts';
export { searchMediaByFile } from './search-by-file.ts';
export { searchMediaByVideoFile } from './search-by-video.ts';
export {
  discardUpload,
  type ResumeStorage,
  uploadFile,
  type UploadLabels,
  type UploadOptions,
  type UploadProgress,
} from './upload-file.ts';
export { type UploadedFile } from './uploads/upload.ts';
export { verifyWebhook, type WebhookEvent, WebhookVerificationError } from './verify-webhook.ts';
export { waitForMedia, type WaitOptions, type WatchedMedia } from './wait-for-media.ts';
