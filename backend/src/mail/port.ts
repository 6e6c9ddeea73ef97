/** One mail, in plain text. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
}

/** Sends mails. */
export interface Mailer {
  /**
   * Resolves when the mail server has accepted the mail. When it rejects, the mail may be sent again; the error
   * contains no email address.
   */
  send: (mail: Mail) => Promise<void>;
  close: () => void;
}
