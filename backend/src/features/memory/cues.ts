/** Words with which users speak of themselves or ask to remember something, in the languages that the interface is used in most. */
const CUES =
  /(?<![\p{L}])(?:i|i['’]m|i['’]ve|my|mine|me|we|our|remember|forget|note that|always|never|from now on|immer|niemals|ab jetzt|ich|mein\p{L}*|mir|mich|wir|unser\p{L}*|merk\p{L}*|vergiss|je|j['’]|mon|ma|mes|nous|notre|souviens|yo|soy|mi|mis|me|nuestro|recuerda|io|sono|mio|mia|ricorda|eu|sou|meu|minha|lembre|ik|ben|mijn|onthoud)(?![\p{L}])/iu;
const LATIN = /^[\P{L}\p{Script=Latin}]*$/u;
const LEAST_LENGTH = 8;

/**
 * Whether a text may say something about its user. Most messages do not, and cost no call then. Spanish and other languages leave
 * pronouns out, so that some are missed; other scripts are never judged here.
 */
export const mayTellOfUser = (typed: string): boolean =>
  typed.trim().length >= LEAST_LENGTH && (!LATIN.test(typed) || CUES.test(typed));
