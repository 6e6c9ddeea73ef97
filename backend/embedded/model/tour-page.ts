interface Texts {
  title: string;
  label: string;
  /** The word between the two numbers, as in `7 of 10`. */
  of: string;
}

/** The small page for the starter prompt that draws one, as a block of Markdown. */
export const tourPage = ({ title, label, of }: Texts): string => `\`\`\`html
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
