/** Every error code, with its HTTP status. */
export const ERROR_STATUS = {
  malformed: 400,
  unknown_price: 400,
  bad_signature: 400,
  unauthenticated: 401,
  quota_exceeded: 402,
  storage_full: 402,
  persona_limit: 402,
  subscription_required: 402,
  seats_full: 402,
  workspace_closed: 403,
  payment_failed: 402,
  forbidden: 403,
  reauthentication_required: 403,
  email_unverified: 403,
  not_found: 404,
  email_taken: 409,
  provider_conflict: 409,
  already_subscribed: 409,
  already_member: 409,
  already_invited: 409,
  already_owner: 409,
  no_subscription: 409,
  price_changed: 409,
  reply_in_progress: 409,
  reply_not_active: 409,
  reply_not_retryable: 409,
  memory_changed: 409,
  memories_full: 409,
  shares_full: 409,
  gone: 410,
  too_large: 413,
  upload_incomplete: 409,
  file_not_ready: 409,
  version_conflict: 409,
  invalid_field: 422,
  too_many_requests: 429,
  too_many_replies: 429,
  internal: 500,
  not_supported: 501,
  unavailable: 503,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** The body of every answer that is not 2xx. */
export interface ErrorBody {
  /** One sentence that tells the user what happened and what to do. */
  message: string;
  code: ErrorCode;
  details?: Record<string, unknown>;
}

/** Why a reply ended as `failed` or `interrupted`; stored and shown with it. */
export type ReplyErrorCode =
  | 'provider_rate_limited'
  | 'provider_unavailable'
  | 'provider_timeout'
  | 'provider_bad_response'
  | 'provider_auth'
  | 'provider_refused'
  | 'context_too_long'
  | 'quota_exceeded'
  | 'interrupted'
  | 'worker_crashed'
  | 'internal';

export interface ReplyError {
  code: ReplyErrorCode;
  /** One sentence that tells the user what happened and what to do. */
  message: string;
  /** Outside production: the model, its URL, the refusal, and the setting to check. */
  cause?: string;
}
