import { useEffect, useState } from 'react';
import type { ConversationRow } from '../../lib/session/conversation-rows.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { plural, t } from '../../lib/text/translate.ts';
import type { LookUp } from '../../lib/session/use-session.ts';
import { Button } from '../../ui/controls/button.tsx';

interface EarlierTurnsProps {
  readonly row: Extract<ConversationRow, { readonly type: 'earlier' | 'gap' }>;
  readonly onLookUp: LookUp;
}

/** Turns that are in the log but not shown. Scrolling up to this row loads those before the first one. */
export function EarlierTurns({ row, onLookUp }: EarlierTurnsProps) {
  const [problem, setProblem] = useState<string | null>(null);
  const [isLooking, setIsLooking] = useState(false);
  const count = row.type === 'earlier' ? row.count : null;
  const before = row.type === 'earlier' ? row.before : null;
  const lookUp = (): void => {
    setIsLooking(true);
    setProblem(null);
    onLookUp(row.type === 'earlier' ? { before: row.before } : { from: row.from })
      .catch((error: unknown) => setProblem(failureText(error)))
      .finally(() => setIsLooking(false));
  };
  useEffect(() => {
    // Each place is loaded automatically once. After a failure, the user tries again.
    if (before !== null) onLookUp({ before }).catch((error: unknown) => setProblem(failureText(error)));
  }, [before, onLookUp]);
  return (
    <div className="flex flex-wrap items-center justify-center gap-2 py-3 text-xs text-soft">
      <span>{count === null ? t('session.leftOut') : plural('session.earlier', count)}</span>
      {problem !== null && <span className="text-bad">{problem}</span>}
      {before !== null && problem === null ? null : (
        <Button size="small" disabled={isLooking} onClick={lookUp}>
          {t('session.showMore')}
        </Button>
      )}
    </div>
  );
}
