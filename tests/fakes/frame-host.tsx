import { createRoot } from 'react-dom/client';
import { LockedFrame } from '../../src/renderer/ui/content/locked-frame.tsx';

/** Shows pages beside each other by the app's own component. `frame-watch.ts` calls it in a browser. */
function show(pages: readonly string[], mayRun: boolean): void {
  const root = document.getElementById('root');
  if (root === null) return;
  createRoot(root).render(pages.map((html, at) => <LockedFrame key={at} html={html} mayRun={mayRun} title="A page" />));
}

Object.assign(globalThis, { show });
