const BLOCK = /^=== ([0-9a-f]{16}) memories\n((?:(?!=== ).*\n)*)=== \1 end$/m;
const LINE = /^\[m:[0-9a-f]{24}\] (.+)$/gm;

/** The memories in a system message. */
export const memoriesIn = (system: string): string[] =>
  Array.from(BLOCK.exec(system)?.[2]?.matchAll(LINE) ?? [], ([, text = '']) => text);
