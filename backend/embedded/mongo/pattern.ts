import { RE2JS } from 're2js';
import { fail } from './errors.ts';

/** A regular expression that takes linear time. */
export type Pattern = { test(text: string): boolean };

/** Without repetition, alternative, group and back reference JavaScript's engine cannot backtrack. */
const NEVER_BACKTRACKS = /^(?:[^*+?{|()\\[]|\\[^1-9kpPQExcuAzZ]|\[(?:[^\]\\[]|\\[^pPxcu])+\])*$/;

const FLAGS: Record<string, number> = {
  i: RE2JS.CASE_INSENSITIVE,
  m: RE2JS.MULTILINE,
  s: RE2JS.DOTALL,
  u: 0,
};

/**
 * All clients wait while one filter runs, so no pattern may take exponential time: JavaScript's own engine runs patterns that cannot, RE2
 * runs the others.
 * @param flags of `i`, `m`, `s`, `u`
 * @throws MongoError 51091 for a pattern that is invalid, or that RE2 does not support (look-around, back references)
 */
export function compilePattern(source: string, flags: string): Pattern {
  try {
    if (NEVER_BACKTRACKS.test(source)) return new RegExp(source, flags);
    const bits = flags.split('').reduce((sum, flag) => sum | (FLAGS[flag] ?? 0), 0);
    return RE2JS.compile(source, bits);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return fail(51091, `Regular expression is invalid: ${reason}`);
  }
}
