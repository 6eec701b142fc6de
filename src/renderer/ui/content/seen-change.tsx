import { hasDeceptivePiece, seenPieces } from '@shared/text/seen-text.ts';
import { t } from '../../lib/text/translate.ts';
import { SeenText } from './seen-text.tsx';

interface SeenChangeProps {
  readonly text: string;
  /** How it differs from what had a yes; null where nothing had, or nearly all is different. */
  readonly diff: string | null;
}

/** A whole text that a person is to agree to, first what is new in it. */
export function SeenChange({ text, diff }: SeenChangeProps) {
  const pieces = seenPieces(text);
  return (
    <>
      {diff !== null && (
        <>
          <p className="text-sm">{t('approval.diff')}</p>
          <SeenText pieces={seenPieces(diff)} />
          <p className="text-sm">{t('approval.whole-text')}</p>
        </>
      )}
      <SeenText pieces={pieces} />
      {hasDeceptivePiece(pieces) && <p className="text-xs text-warn">{t('approval.strange')}</p>}
    </>
  );
}
