import type { MemoryKind, PendingReason } from '../../contract/memory.ts';
import { foldText } from './record.ts';

/** Stems of sensitive words, English and German; the text is folded. */
const SENSITIVE = [
  // Health
  'diagnos|disease|illness|sick|cancer|diabet|depress|anxiety|therap|medicat|medicine|pregnan|hiv|aids|disab|allerg|autis|adhd|surgery|addict|alcoholi',
  'krank|krebs|depress|medikament|schwanger|behinder|operation|sucht|abhangig',
  // Beliefs, politics, origin, orientation, union
  'religio|church|christian|muslim|islam|jewish|jew|hindu|buddhis|atheis|catholic|protestant|vote|voting|politic|republican|democrat|conservative|socialis|union member|ethnic|race|gay|lesbian|bisexual|transgender|queer|sexual',
  'kirche|glaub|katholi|evangelisch|moslem|judisch|jude|wahl|partei|politi|gewerkschaft|schwul|lesbisch|sexuell',
  // Credentials, identity and money
  'password|passwort|passphrase|pin|secret|api key|token|credential|private key|seed phrase|social security|ssn|passport|iban|credit card|bank account|account number|salary|debt|bankrupt',
  'kennwort|geheim|zugangsdaten|personalausweis|reisepass|kreditkarte|konto|kontonummer|gehalt|schulden|sozialversicherung|steuernummer',
  // The law
  'arrest|convict|prison|criminal|vorbestraft|gefangnis|verurteilt',
].join('|');
const SENSITIVE_WORD = new RegExp(`(?<![\\p{L}\\p{N}])(?:${SENSITIVE})`, 'u');

/** Numbers of cards, accounts and telephones, and keys. */
const NUMBER =
  /\d(?:[ -]?\d){8,}|[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,}|\b(?:sk|pk|ghp|xox[bp]|AKIA)[-_]?[A-Za-z0-9]{12,}/;
const URL =
  /\b(?:https?|ftp|data|javascript):|\bwww\.|(?<![\p{L}\p{N}@])[\p{L}\p{N}-]+\.(?:com|org|net|io|dev|ai|app|co|de|eu|info|me|ru|cn|xyz)(?![\p{L}\p{N}])/iu;

/** Instructions to the model about its behaviour. */
const INSTRUCTION = new RegExp(
  String.raw`(?<![\p{L}])(?:always|never|must|should|from now on|ignore|disregard|do not|don t|dont|please|instead of|respond|reply|answer|` +
    'system prompt|instruction|immer|nie|niemals|musst|sollst|ab jetzt|ignorier|antworte|bitte|anweisung)',
  'u',
);

/**
 * Why a memory needs approval before replies read it; null when it needs none. Rather too often than too seldom, because approving is one
 * click.
 */
export function pendingReason({
  text,
  quote,
  kind,
}: {
  text: string;
  quote: string;
  kind: MemoryKind;
}): PendingReason | null {
  const both = `${text}\n${quote}`;
  const folded = foldText(both);
  if (SENSITIVE_WORD.test(folded) || NUMBER.test(both)) return 'sensitive';
  if (URL.test(both)) return 'url';
  if (kind === 'instruction' || INSTRUCTION.test(folded)) return 'instruction';
  return null;
}
