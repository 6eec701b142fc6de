import { memo, useEffect, useMemo } from 'react';
import { printable } from '@shared/text/seen-text.ts';
import { startRenderQueue, useRenderQueue } from '../../lib/drawing/render-queue.ts';
import { markdownParts } from '../../lib/drawing/markdown-parts.ts';
import { textHeight } from '../../lib/drawing/row-height.ts';
import { CodeBlock } from './code-block.tsx';

type MarkdownReader = (typeof import('./markdown-view.tsx'))['default'];

/** Null until it is loaded; nobody has a turn to draw before. */
let reader: MarkdownReader | null = null;
let loading: Promise<void> | null = null;

/**
 * Loads what reads Markdown. A window does so while it has nothing else to do: else the first session that is opened
 * waits for it, and then all that it shows is read at once.
 */
export function loadMarkdown(): void {
  loading ??= import('./markdown-view.tsx').then(
    ({ default: loaded }) => {
      reader = loaded;
      startRenderQueue();
    },
    // Texts stay as they are; the next one that is shown tries again.
    () => {
      loading = null;
    },
  );
}

interface MarkdownProps {
  readonly text: string;
  /** More is coming. */
  readonly isGrowing?: boolean;
}

/**
 * Markdown of a model, read and drawn piece by piece: however long it is, a frame has little to do, and of a text that
 * grows only the last piece is read again.
 */
export function Markdown({ text, isGrowing = false }: MarkdownProps) {
  const parts = useMemo(() => markdownParts(printable(text)), [text]);
  useEffect(loadMarkdown, []);
  const last = parts.length - 1;
  // Parts are cut from the beginning on: those that are there stay the same while more come.
  return parts.map((part, index) =>
    part.type === 'code' ? (
      // oxlint-disable-next-line react/no-array-index-key
      <div key={index} className={index === 0 ? undefined : 'mt-2'}>
        <CodeBlock code={part.code} language={part.language} isGrowing={isGrowing && part.isOpen} />
      </div>
    ) : (
      // oxlint-disable-next-line react/no-array-index-key
      <Piece key={index} text={part.text} isGrowing={isGrowing && index === last} isFirst={index === 0} />
    ),
  );
}

interface PieceProps {
  readonly text: string;
  readonly isGrowing: boolean;
  readonly isFirst: boolean;
}

/** Until its reader is loaded and there is time for it, the text as it is. */
const Piece = memo(function Piece({ text, isGrowing, isFirst }: PieceProps) {
  const isDrawn = useRenderQueue(text.length, isGrowing);
  const View = isDrawn ? reader : null;
  return (
    <div
      className={isFirst ? undefined : 'mt-2'}
      // As high as it was estimated, so that nothing moves for what is there for a few frames.
      style={View !== null || isGrowing ? undefined : { height: textHeight(text), overflow: 'hidden' }}
    >
      {View === null ? (
        <p className="whitespace-pre-wrap wrap-anywhere">{text}</p>
      ) : (
        <View text={text} isGrowing={isGrowing} />
      )}
    </div>
  );
});
