import type { SeenPiece } from '@shared/text/seen-text.ts';
import { t } from './translate.ts';

/** The visible text for a piece. */
export function seenPieceText(piece: SeenPiece): string {
  return piece.kind === 'empty-lines' ? t('seen.emptyLines', { count: piece.count }) : piece.text;
}
