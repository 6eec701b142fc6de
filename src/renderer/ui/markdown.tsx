import { Suspense, lazy } from 'react';
import { useDrawingTurn } from '../lib/drawing-turn.ts';
import { textHeight } from '../lib/row-height.ts';

const MarkdownView = lazy(() => import('./markdown-view.tsx'));

/** Markdown of a model; until its reader is loaded and there is time for it, and for what is no Markdown, the text as it is. */
export function Markdown({ text, isGrowing = false }: { readonly text: string; readonly isGrowing?: boolean }) {
  const isDrawn = useDrawingTurn(text.length, isGrowing);
  if (!isDrawn) {
    return (
      // As high as it was estimated, so that nothing moves for what is there for a few frames.
      <p className="overflow-hidden whitespace-pre-wrap wrap-anywhere" style={{ height: textHeight(text) }}>
        {text}
      </p>
    );
  }
  return (
    <Suspense fallback={<p className="whitespace-pre-wrap wrap-anywhere">{text}</p>}>
      <MarkdownView text={text} isGrowing={isGrowing} />
    </Suspense>
  );
}
