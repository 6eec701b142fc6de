import { memo, useEffect, useMemo } from 'react';
import { printable } from '@shared/text/seen-text.ts';
import { startRenderQueue, useRenderQueue } from '../../lib/drawing/render-queue.ts';
import { markdownParts } from '../../lib/drawing/markdown-parts.ts';
import { textHeight } from '../../lib/drawing/row-height.ts';
import { CodeBlock } from './code-block.tsx';

type MarkdownReader = (typeof import('./markdown-view.tsx'))['default'];

/** Null until it is loaded. Nothing is rendered as Markdown before. */
let reader: MarkdownReader | null = null;
let loading: Promise<void> | null = null;

/**
 * Loads the Markdown parser. A window does that while it is idle. Otherwise, the first session that opens would wait
 * for it and then parse all its texts at once.
 */
export function loadMarkdown(): void {
  loading ??= import('./markdown-view.tsx').then(
    ({ default: loaded }) => {
      reader = loaded;
      startRenderQueue();
    },
    // Texts stay plain. The next text that mounts tries again.
    () => {
      loading = null;
    },
  );
}

interface MarkdownProps {
  readonly text: string;
  /** More text is coming. */
  readonly isGrowing?: boolean;
}

/**
 * A model's Markdown, parsed and rendered in pieces. A frame has little to do for a text of any length, and a growing
 * text parses only its last piece again.
 */
export function Markdown({ text, isGrowing = false }: MarkdownProps) {
  const parts = useMemo(() => markdownParts(printable(text)), [text]);
  useEffect(loadMarkdown, []);
  const last = parts.length - 1;
  // Parts are cut from the beginning, so earlier parts stay the same while more arrive.
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

/** Shows plain text until the parser is loaded and there is time for it. */
const Piece = memo(function Piece({ text, isGrowing, isFirst }: PieceProps) {
  const isDrawn = useRenderQueue(text.length, isGrowing);
  const View = isDrawn ? reader : null;
  return (
    <div
      className={isFirst ? undefined : 'mt-2'}
      // Has the estimated height, so that nothing moves for the few frames until it is rendered.
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
