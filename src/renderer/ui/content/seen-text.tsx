import { useLayoutEffect, useRef, useState } from 'react';
import type { SeenPiece } from '@shared/text/seen-text.ts';
import { seenPieceText } from '../../lib/text/seen-piece-text.ts';
import { t } from '../../lib/text/translate.ts';

const looks = {
  plain: '',
  hidden: 'mx-0.5 rounded bg-warn-soft px-1 text-warn',
  'empty-lines': 'mx-0.5 rounded bg-warn-soft px-1 text-warn',
  alike: 'rounded-sm bg-warn-soft text-warn underline decoration-wavy',
} as const;

/** A text to approve, with deceptive characters marked. Says when it is taller than its box. */
export function SeenText({ pieces }: { readonly pieces: readonly SeenPiece[] }) {
  const box = useRef<HTMLPreElement>(null);
  const [isCut, setIsCut] = useState(false);
  useLayoutEffect(() => {
    const look = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setIsCut(entry.target.scrollHeight > entry.target.clientHeight + 1);
    });
    if (box.current !== null) look.observe(box.current);
    return () => look.disconnect();
  }, [pieces]);
  return (
    <>
      <pre
        ref={box}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls
        tabIndex={0}
        className="max-h-48 overflow-auto rounded-lg bg-sunken px-3 py-2 font-mono text-xs leading-relaxed whitespace-pre-wrap wrap-anywhere"
      >
        <SeenPieces pieces={pieces} />
      </pre>
      {isCut && <p className="text-xs text-warn">{t('seen.more')}</p>}
    </>
  );
}

/** The same within a line. */
export function SeenPieces({ pieces }: { readonly pieces: readonly SeenPiece[] }) {
  return pieces.map((piece, index) => (
    // oxlint-disable-next-line react/no-array-index-key -- pieces have nothing but their place
    <span key={index} className={looks[piece.kind]} data-seen={piece.kind}>
      {seenPieceText(piece)}
    </span>
  ));
}
