export interface Pattern {
  source: string;
  flags: string;
  file: string;
  line: number;
}
export function patternsIn(file: string, text: string): Pattern[];
export function problemOf(pattern: Pick<Pattern, 'source' | 'flags'>): Promise<string | undefined>;
