import { Suspense, lazy } from 'react';

const MarkdownView = lazy(() => import('./markdown-view.tsx'));

/** Markdown of a model; until its reader is loaded, and for what is no Markdown, the text as it is. */
export function Markdown({ text, isGrowing = false }: { readonly text: string; readonly isGrowing?: boolean }) {
  return (
    <Suspense fallback={<p className="whitespace-pre-wrap wrap-anywhere">{text}</p>}>
      <MarkdownView text={text} isGrowing={isGrowing} />
    </Suspense>
  );
}
