import type { HunkState } from '@shared/events/tool-events.ts';
import { t } from '../../../lib/text/translate.ts';
import { Button } from '../../../ui/controls/button.tsx';

interface HunkHeadProps {
  /** Counts from 1. */
  readonly number: number;
  readonly count: number;
  readonly state: HunkState;
  /** Taking a hunk writes it into the project; otherwise it only marks it. */
  readonly isCopy: boolean;
  readonly isDisabled: boolean;
  readonly onDecide: (what: 'take' | 'undo') => void;
}

/** The number of a hunk in its file, and its buttons. */
export function HunkHead({ number, count, state, isCopy, isDisabled, onDecide }: HunkHeadProps) {
  const takeWord = isCopy ? 'apply' : 'keep';
  const undoWord = state === 'undone' ? 'redo' : 'undo';
  return (
    <>
      <span className="min-w-0 flex-1 font-sans text-xs" data-hunk={state}>
        {t('changes.hunk', { number, count })}
        {state !== 'open' && ` · ${t(`changes.hunk.${state === 'undone' ? 'undone' : isCopy ? 'applied' : 'kept'}`)}`}
      </span>
      {state === 'open' && (
        <Button
          size="small"
          className="font-sans"
          disabled={isDisabled}
          aria-label={t(`changes.hunk.${takeWord}.about`, { number })}
          onClick={() => onDecide('take')}
        >
          {t(`changes.hunk.${takeWord}`)}
        </Button>
      )}
      <Button
        size="small"
        className="font-sans"
        disabled={isDisabled}
        aria-label={t(`changes.hunk.${undoWord}.about`, { number })}
        onClick={() => onDecide('undo')}
      >
        {t(`changes.${undoWord}`)}
      </Button>
    </>
  );
}
