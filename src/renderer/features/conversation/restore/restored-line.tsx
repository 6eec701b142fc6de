import { restoreId, restoreSeq, type RestoreState } from '@shared/session/restore-state.ts';
import { useClient } from '../../../lib/connection/core-context.ts';
import { failureText } from '../../../lib/connection/failure-text.ts';
import { announce } from '../../../lib/notices/announce.ts';
import { restoreSession } from '../../../lib/session/session-commands.ts';
import type { ConversationRow } from '../../../lib/session/conversation-rows.ts';
import { plural, t } from '../../../lib/text/translate.ts';
import { Button } from '../../../ui/controls/button.tsx';

interface RestoredLineProps {
  readonly sessionId: string;
  /** Only the last restore is undone here: to undo an earlier one takes back what came after it, too. */
  readonly row: Extract<ConversationRow, { readonly type: 'restored' }>;
}

/** Says in the conversation what was restored, with Undo. */
export function RestoredLine({ sessionId, row: { restore, isLast } }: RestoredLineProps) {
  const client = useClient();
  const { seq, files, conversation } = restore;
  const undo = (): void => {
    restoreSession(client, sessionId, { checkpoint: restoreId(seq), files, conversation }).catch((error: unknown) =>
      announce({ kind: 'error', text: failureText(error) }),
    );
  };
  return (
    <div className="flex flex-wrap items-center justify-center gap-2 py-3 text-xs text-soft">
      <span>{wordsOf(restore)}</span>
      {isLast && (
        <Button size="small" look="quiet" onClick={undo}>
          {t('undo.label')}
        </Button>
      )}
    </div>
  );
}

function wordsOf({ checkpoint, files, conversation, end }: RestoreState): string {
  if (end === null) return t('restore.running');
  if (end.outcome === 'interrupted') return t('restore.interrupted');
  if (restoreSeq(checkpoint) !== null) return t('restore.undone');
  const what = files && conversation ? t('restored.both') : files ? t('restored.files') : t('restored.conversation');
  const counts = files ? [plural('restored.count', end.restored)] : [];
  const kept = end.kept === 0 ? [] : [plural('restored.kept', end.kept)];
  return [what, ...counts, ...kept].join(' ');
}

interface SetAsideLineProps {
  readonly count: number;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** Stands for turns that a restore took out of the conversation. */
export function SetAsideLine({ count, isOpen, onToggle }: SetAsideLineProps) {
  return (
    <div className="flex flex-wrap items-center justify-center gap-2 py-3 text-xs text-soft">
      <span>{plural('restore.aside', count)}</span>
      <Button size="small" look="quiet" aria-expanded={isOpen} onClick={onToggle}>
        {isOpen ? t('restore.hide') : t('restore.show')}
      </Button>
    </div>
  );
}
