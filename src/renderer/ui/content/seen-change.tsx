import { hasDeceptivePiece, seenPieces } from '@shared/text/seen-text.ts';
import { t } from '../../lib/text/translate.ts';
import { Fold } from '../layout/fold.tsx';
import { SeenText } from './seen-text.tsx';

interface SeenChangeProps {
  readonly text: string;
  /** How it differs from what had a yes; null where nothing had, or nearly all is different. */
  readonly diff: string | null;
}

/** A whole text that a person is to agree to. Of one that changed: what is new in it, and the whole behind one line. */
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
