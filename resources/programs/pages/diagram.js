/**
 * Draws diagrams, one after the other, with the library that the page passes in.
 */
let library = null;
const answer = (message) => parent.postMessage(message, '*');
const draw = async ({ id, text, options }) => {
  try {
    library.initialize(options);
    const { svg } = await library.render('diagram', text);
    answer({ type: 'drawn', id, svg });
  } catch (error) {
    answer({ type: 'failed', id, reason: String(error?.message ?? error).slice(0, 2000) });
  }
  document.body.replaceChildren();
};
let last = Promise.resolve();
addEventListener('message', (event) => {
  if (event.source !== parent) return;
  if (event.data.type === 'library') {
    const script = document.createElement('script');
    script.text = event.data.code;
    document.head.append(script);
    library = globalThis.mermaid;
    answer({ type: library ? 'loaded' : 'broken' });
  }
  if (event.data.type === 'draw') last = last.then(() => draw(event.data));
});
answer({ type: 'ready' });
