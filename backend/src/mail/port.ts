/** One mail, in plain text. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
}

/** Sends mails. */
export interface Mailer {
  /**
   * Resolves when the mail is handed over; rejects when it was not, and then it may be tried again. The error holds no
   * address.
   */
  send: (mail: Mail) => Promise<void>;
  close: () => void;
}
