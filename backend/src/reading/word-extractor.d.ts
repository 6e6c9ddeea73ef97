declare module 'word-extractor' {
  interface Extracted {
    getBody: () => string;
    getFootnotes: () => string;
    getEndnotes: () => string;
    getAnnotations: () => string;
    getHeaders: (options: { includeFooters: boolean }) => string;
    getTextboxes: () => string;
  }
  export default class WordExtractor {
    extract(path: string): Promise<Extracted>;
  }
}
