import { useState } from 'react';
import type { SessionSummary } from '@shared/contract/sessions-contract.ts';
import { allTags } from '@shared/session/session-filter.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { useIsWindow } from '../../lib/connection/use-host-info.ts';
import {
  archiveSessions,
  deleteSessions,
  exportSessions,
  organizeSessions,
  sharedTags,
} from '../../lib/session/organize-sessions.ts';
import { downloadSessions } from '../../lib/session/session-commands.ts';
import { useNavigate } from '../../lib/window/navigation.ts';
import type { Selection } from '../../lib/session/use-selection.ts';
import type { TextKey } from '../../lib/text/translate.ts';
import { plural, t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { TagEditor } from '../../ui/controls/tag-editor.tsx';
import { AskAgainButton } from '../../ui/model-picker/ask-again-button.tsx';

interface SelectionBarProps {
  readonly selection: Selection;
  /** All sessions. */
  readonly sessions: readonly SessionSummary[];
  /** Reloads the list of sessions. */
  readonly onChanged: () => void;
  /** These were moved to the bin. */
  readonly onDeleted: (sessionIds: readonly string[]) => void;
}

interface Deed {
  readonly label: TextKey;
  readonly isDanger?: boolean;
  readonly run: () => void;
}

/** Actions on all chosen sessions at once. */
export function SelectionBar({ selection, sessions, onChanged, onDeleted }: SelectionBarProps) {
  const client = useClient();
  const isWindow = useIsWindow();
  const save = isWindow ? exportSessions : downloadSessions;
  const navigate = useNavigate();
  const [isTagging, setIsTagging] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  const chosen = sessions.filter(({ sessionId }) => selection.chosen.has(sessionId));
  const ids = chosen.map(({ sessionId }) => sessionId);
  const areArchived = chosen.length > 0 && chosen.every(({ isArchived }) => isArchived);
  const arePinned = chosen.length > 0 && chosen.every(({ isPinned }) => isPinned);
  const leave = (): void => {
    focusRest();
    selection.end();
  };
  const run = (work: () => Promise<unknown>, isEnd: boolean): void => {
    setIsBusy(true);
    void work().finally(() => {
      setIsBusy(false);
      if (isEnd) leave();
    });
  };
  const organize = (wanted: Parameters<typeof organizeSessions>[2], isEnd: boolean): void =>
    run(() => organizeSessions(client, ids, wanted).finally(onChanged), isEnd);
  const deeds: readonly Deed[] = [
    {
      label: areArchived ? 'menu.unarchive' : 'menu.archive',
      run: () => run(() => archiveSessions(client, ids, !areArchived, onChanged), true),
    },
    { label: arePinned ? 'menu.unpin' : 'menu.pin', run: () => organize({ isPinned: !arePinned }, true) },
    { label: 'menu.tags', run: () => setIsTagging(true) },
    { label: isWindow ? 'select.export' : 'select.download', run: () => run(() => save(client, ids), false) },
    { label: 'select.compare', run: () => navigate({ type: 'compare', sessions: ids }) },
    {
      label: 'menu.delete',
      isDanger: true,
      run: () => run(async () => onDeleted(await deleteSessions(client, ids, onChanged)), true),
    },
  ];
  const isOff = isBusy || ids.length === 0;
  return (
    <section aria-label={t('select.label')} className="flex flex-col gap-2 border-t border-line p-2">
      <div className="flex items-center gap-1">
        <output className="min-w-0 flex-1 truncate px-1 text-sm font-semibold">
          {isBusy ? t('select.busy') : plural('select.count', ids.length)}
        </output>
        <Button size="small" look="quiet" onClick={selection.all}>
          {t('select.all')}
        </Button>
        <Button size="small" look="quiet" onClick={leave}>
          {t('select.done')}
        </Button>
      </div>
      {isTagging && ids.length > 0 ? (
        <TagEditor
          known={allTags(sessions)}
          {...sharedTags(chosen)}
          onAdd={(tag) => organize({ addTags: [tag] }, false)}
          onRemove={(tag) => organize({ removeTags: [tag] }, false)}
          onDone={() => setIsTagging(false)}
        />
      ) : (
        <div data-organize className="flex flex-wrap gap-1">
          {deeds.map(({ label, isDanger = false, run: act }) => (
            <Button key={label} size="small" look={isDanger ? 'danger' : 'plain'} disabled={isOff} onClick={act}>
              {t(label)}
            </Button>
          ))}
          <AskAgainButton label={t('again.menu')} sessionIds={ids} isDisabled={isOff} />
        </div>
      )}
    </section>
  );
}

/** The focused element disappears when the selection ends, and the chosen sessions may disappear, too. */
function focusRest(): void {
  const next = document.querySelector<HTMLElement>('[data-session][aria-checked=false]');
  (next ?? document.querySelector<HTMLElement>('#search-sessions'))?.focus();
}
