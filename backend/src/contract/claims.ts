import type { Depth } from './reply-settings.ts';

/** The relation of a statement in a reply to the sources of its conversation. */
export type ClaimVerdict = 'supported' | 'contradicted' | 'unsupported' | 'not_checkable';

/** Why the code lowered a verdict. */
export type ClaimReason =
  /** No quotation remained that occurs letter for letter in a source. */
  | 'no_evidence'
  | 'number_not_in_source'
  | 'name_not_in_source'
  /** The quotations have no word in common with the statement. */
  | 'few_words_in_common'
  /** A second call did not confirm the contradiction. */
  | 'not_confirmed'
  /** An opinion, advice, or something about the conversation itself. */
  | 'not_a_fact';

/** The place of a quotation: in a file of the conversation, or in a message of the user. */
export type ClaimSource =
  | {
      kind: 'file';
      fileId: string;
      fileName: string;
      /** From 1. */
      page: number;
      /** The number that is printed on the page; left out when it is `page`. */
      pageLabel?: string;
      /** UTF-16 code units in the page's text; `end` is exclusive. */
      start: number;
      end: number;
    }
  | {
      kind: 'message';
      messageId: string;
      /** UTF-16 code units in the message's text; `end` is exclusive. */
      start: number;
      end: number;
    };

export interface ClaimEvidence {
  /** The text of the source there, letter for letter. */
  quote: string;
  source: ClaimSource;
}

/** A statement of a reply. */
export interface ReplyClaim {
  id: string;
  /** The sentence in the reply's `content`: UTF-16 code units, `end` is exclusive. */
  start: number;
  end: number;
  /** The claim in a sentence that is understood alone. */
  text: string;
  verdict: ClaimVerdict;
  reason?: ClaimReason;
  evidence: ClaimEvidence[];
}

/** `checking`: a check was requested; `partial`: a limit ended it before all claims were compared. */
export type ClaimsState = 'checking' | 'checked' | 'partial' | 'not_checked';

/** Why a check was not made, or was not completed. */
export type ClaimsProblem =
  /** There are no files with text and no pasted or quoted texts. */
  | 'no_source'
  /** The reply states nothing. */
  | 'no_claims'
  /** The model did not answer, or not in the required form. */
  | 'model'
  | 'quota'
  /** The maximum number of calls, tokens or seconds of one check. */
  | 'limit';

/** The result of a check of a reply. It shows how statements relate to sources, not whether they are true. */
export interface ClaimsCheck {
  state: ClaimsState;
  problem?: ClaimsProblem;
  /** When it was requested or ended, ISO 8601. */
  at: string;
  claims: ReplyClaim[];
  /** Its charged tokens, of all calls. */
  tokens: number;
}

/** After this many ms an unfinished check counts as lost and may be requested again. */
export const CHECK_LOST_MS = 10 * 60_000;

/** When a reply is compared with its sources. */
export const CHECK_BY_DEPTH = {
  fast: 'off',
  balanced: 'on_demand',
  deep: 'automatic',
} as const satisfies Record<Depth, string>;
