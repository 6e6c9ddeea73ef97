import { type DestinationStream, pino } from 'pino';

/** The kinds of events in the security log: sign-in results, changes of credentials, limits hit, sessions ended. */
export type SecurityEvent =
  | 'signed_in'
  | 'sign_in_failed'
  | 'registered'
  | 'registration_refused'
  | 'signed_out'
  | 'session_ended'
  | 'all_sessions_ended'
  | 'password_changed'
  | 'password_reset'
  | 'reset_requested'
  | 'email_change_requested'
  | 'email_change_cancelled'
  | 'email_changed'
  | 'email_verified'
  | 'provider_linked'
  | 'account_taken_over'
  | 'account_deleted'
  | 'export_requested'
  | 'export_downloaded'
  | 'proof_refused'
  | 'limit_hit';

/** One line of the security log. It holds no email address, password or token. */
export interface SecurityRecord {
  event: SecurityEvent;
  /** The account of the event, if known. */
  userId?: string | undefined;
  /** The account that had the email address before a takeover. */
  formerUserId?: string | undefined;
  /** The IP address of the request; absent without a request. */
  ip?: string | undefined;
  /** The method of the sign-in. */
  method?: 'password' | 'google' | 'replit' | 'guest' | 'mailed_link';
  /** The name of the limit. */
  limit?: string;
  /** The error code of the answer. */
  reason?: string;
}

/** Records that operators need in order to find and follow an attack, separate from the request log. */
export interface SecurityLog {
  record: (entry: SecurityRecord) => void;
}

/** Writes lines of JSON under the logger name `security`, at any level of the process's own log except `silent`. */
export function createSecurityLog(
  { level }: { level: string },
  destination?: DestinationStream,
): SecurityLog {
  const options = { name: 'security', level: level === 'silent' ? 'silent' : 'info' };
  const log = destination ? pino(options, destination) : pino(options);
  return { record: (entry) => log.info(entry, entry.event) };
}
