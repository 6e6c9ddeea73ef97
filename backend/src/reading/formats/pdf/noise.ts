/** A shorter text is left as it is. */
const MIN_LENGTH = 20;
/** Text is noise when this share of it is no letter of any script. */
const MIN_SHARE = 0.3;

/** Whether a text is what a font gives that does not say which letters it shows. */
export function isNoise(text: string): boolean {
  const shown = text.match(/\S/gu)?.length ?? 0;
  const unknown = text.match(/[\p{Co}\p{Cn}\uFFFD]|(?=\P{White_Space})\p{Cc}/gu)?.length ?? 0;
  return shown >= MIN_LENGTH && unknown > MIN_SHARE * shown;
}
