// Draws the diagrams that the chat hands over, by the code that it names: this file's own name never changes.
addEventListener('message', ({ source, data }) => {
  if (source !== parent || !/^\/(?:assets|src)\//.test(data?.script)) return;
  void answer(data);
});
async function answer(data) {
  await import(new URL(data.script, location.href).href);
  parent.postMessage(await draw(data), '*');
}
parent.postMessage({ type: 'ready' }, '*');
