import { hasDeceptivePiece, seenPieces } from '@shared/text/seen-text.ts';
import { t } from '../../lib/text/translate.ts';
import { SeenText } from './seen-text.tsx';

interface SeenChangeProps {
  readonly text: string;
  /** The difference from what was approved; null when nothing was approved, or when nearly everything differs. */
  readonly diff: string | null;
}

/** A full text for the user to approve, with its changes first. */
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
