import { type DestinationStream, pino } from 'pino';

/** What the security log records: sign-in results, changes of credentials, limits hit, sessions ended. */
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
  /** The account that the event is about, as far as it is known. */
  userId?: string | undefined;
  /** The account that had the email address before, when it was taken over. */
  formerUserId?: string | undefined;
  /** The IP address that the request came from; left out when there was no request. */
  ip?: string | undefined;
  /** How the user signed in. */
  method?: 'password' | 'google' | 'replit' | 'guest' | 'mailed_link';
  /** The name of the limit that was hit. */
  limit?: string;
  /** The error code that the caller got. */
  reason?: string;
}

/** Records what operators need to find and follow an attack, apart from the request log. */
export interface SecurityLog {
  record: (entry: SecurityRecord) => void;
}

/** Writes lines of JSON under the logger name `security`, whatever the level of the process's own log; `silent` is kept. */
export function createSecurityLog(
  { level }: { level: string },
  destination?: DestinationStream,
): SecurityLog {
  const options = { name: 'security', level: level === 'silent' ? 'silent' : 'info' };
  const log = destination ? pino(options, destination) : pino(options);
  return { record: (entry) => log.info(entry, entry.event) };
}
