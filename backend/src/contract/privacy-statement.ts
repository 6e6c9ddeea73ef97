/** Possible recipients of user data. */
export const RECIPIENT_KINDS = [
  'model',
  'embeddings',
  'payments',
  'mail',
  'google',
  'replit',
  'objects',
] as const;
export type RecipientKind = (typeof RECIPIENT_KINDS)[number];

/**
 * The destination of data: `machine`: it stays on STOLAS's machine; `operator`: a server of the operator with a private name; `provider`: a
 * public host.
 */
export type RecipientPlace = 'machine' | 'operator' | 'provider';

export interface Recipient {
  kind: RecipientKind;
  place: RecipientPlace;
  /** The public host name; only of a provider. */
  host?: string;
  /** The called model; only of models. */
  model?: string;
}

/** The kinds of stored data, with the time after which the product keeps none of it. */
export const RETENTION_KINDS = [
  'session',
  'sessionTotal',
  'guest',
  'unverified',
  'invitation',
  'temporary',
  'deletedConversation',
  'unusedFile',
  'upload',
  'replyLog',
  'share',
  'export',
  'receipt',
] as const;
export type RetentionKind = (typeof RETENTION_KINDS)[number];

export interface Retention {
  kind: RetentionKind;
  seconds: number;
}

/** GET /api/privacy: recipients and retention of data, by the configuration of this server. */
export interface PrivacyStatement {
  recipients: Recipient[];
  /** Whether the model is the demo model, which is a part of STOLAS. */
  isDemoModel: boolean;
  /** Whether payments are tests in which no money moves. */
  isTestPayment: boolean;
  /** Whether the text of scanned pages is recognised, on this server. */
  hasOcr: boolean;
  retention: Retention[];
}
