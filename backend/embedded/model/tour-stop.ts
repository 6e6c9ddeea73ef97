/** Quotes a sentence of a sample file, with the marker of the passage that contains it. */
export type Quote = (sentence: string) => string;

/** A starter prompt of the home screen and its written answer. */
export interface TourStop {
  prompt: string;
  /** The quotations come from the passages of the prompt, so that citations and checks are real. */
  answer: (quote: Quote) => string;
  /** What the members of a panel answer, by their names, and how it is summed up. */
  panel?: { voices: Record<string, string>; synthesis: string };
}

interface PageTexts {
  title: string;
  label: string;
  /** The word between the two numbers, as in `7 of 10`. */
  of: string;
}

/** The small page for the starter prompt that draws one, as a block of Markdown. */
export const tourPage = ({ title, label, of }: PageTexts): string => `\`\`\`html
<!doctype html>
<title>${title}</title>
<style>
  body { font: 18px/1.5 system-ui; display: grid; place-items: center; min-height: 90vh; background: #10141f; color: #eee; }
  main { text-align: center; }
  meter { width: 16rem; height: 1.5rem; }
</style>
<main>
  <h1>${title}</h1>
  <p><label>${label} <input id="n" type="range" min="0" max="10" value="7"></label></p>
  <meter id="m" min="0" max="10" low="4" high="8" optimum="10" value="7"></meter>
  <p id="t">7 ${of} 10</p>
</main>
<script>
  n.oninput = () => { m.value = n.value; t.textContent = n.value + ' ${of} 10'; };
</script>
\`\`\``;
