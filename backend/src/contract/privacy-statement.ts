/** Who may get data of users. */
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
 * Where the data goes: `machine`: it does not leave the machine that STOLAS runs on; `operator`: to a server of the operator,
 * whose name is not public; `provider`: to a public host.
 */
export type RecipientPlace = 'machine' | 'operator' | 'provider';

export interface Recipient {
  kind: RecipientKind;
  place: RecipientPlace;
  /** The public host name; only of a provider. */
  host?: string;
  /** The model that is called; only of models. */
  model?: string;
}

/** What is kept, and for how long after which no trace of it is left in the product. */
export const RETENTION_KINDS = [
  'session',
  'sessionTotal',
  'guest',
  'unverified',
  'temporary',
  'deletedConversation',
  'unusedFile',
  'upload',
  'replyLog',
  'export',
  'receipt',
] as const;
export type RetentionKind = (typeof RETENTION_KINDS)[number];

export interface Retention {
  kind: RetentionKind;
  seconds: number;
}

/** GET /api/privacy: what goes to whom and what is kept for how long, by the configuration of this server. */
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
