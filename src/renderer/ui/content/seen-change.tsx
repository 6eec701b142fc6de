import { hasDeceptivePiece, seenPieces } from '@shared/text/seen-text.ts';
import { t } from '../../lib/text/translate.ts';
import { Fold } from '../layout/fold.tsx';
import { SeenText } from './seen-text.tsx';

interface SeenChangeProps {
  readonly text: string;
  /** The difference from what was approved; null when nothing was approved, or when nearly everything differs. */
  readonly diff: string | null;
}

/** A full text for the user to approve. Of one that changed: the changes, and the full text behind one line. */
export function SeenChange({ text, diff }: SeenChangeProps) {
  const pieces = seenPieces(text);
  const isStrange = hasDeceptivePiece(pieces);
  return (
    <>
      {diff !== null && (
        <>
          <p className="text-sm">{t('approval.diff')}</p>
          <SeenText pieces={seenPieces(diff)} />
        </>
      )}
      {diff === null ? (
        <SeenText pieces={pieces} />
      ) : (
        <Fold label={t('approval.whole-text')} isOpen={isStrange}>
          <SeenText pieces={pieces} />
        </Fold>
      )}
      {isStrange && <p className="text-xs text-warn">{t('approval.strange')}</p>}
    </>
  );
}
