import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { RestoreOutcome } from '@shared/contract/sessions-contract.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import { useClient } from '../../../lib/connection/core-context.ts';
import { failureText } from '../../../lib/connection/failure-text.ts';
import { restoreSession } from '../../../lib/session/session-commands.ts';
import { plural, t } from '../../../lib/text/translate.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { DialogFrame } from '../../../ui/layout/dialog-frame.tsx';
import { Problem } from '../../../ui/notices/problem.tsx';

interface RestoreDialogProps {
  readonly sessionId: string;
  /** The id of the message or step. */
  readonly checkpoint: string;
  readonly onClose: () => void;
}

const scopes = ['both', 'files', 'conversation'] as const;
type Scope = (typeof scopes)[number];

/** More names are in the changes afterwards. */
const namedFiles = 6;

/** Asks what to restore, and says before what happens to each file. */
export default function RestoreDialog({ sessionId, checkpoint, onClose }: RestoreDialogProps) {
  const client = useClient();
  const [scope, setScope] = useState<Scope>('both');
  const [replaces, setReplaces] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const choice = { checkpoint, files: scope !== 'conversation', conversation: scope !== 'files' };
  const preview = useQuery({
    queryKey: ['restore', sessionId, choice],
    queryFn: () => client.changes.restore({ sessionId, ...choice, isPreview: true }),
    staleTime: 0,
    gcTime: 0,
  });
  const run = async (): Promise<void> => {
    setIsBusy(true);
    setProblem(null);
    try {
      await restoreSession(client, sessionId, { ...choice, replaces });
      onClose();
    } catch (error) {
      setProblem(failureText(error));
      setIsBusy(false);
    }
  };
  const failed = problem ?? (preview.error === null ? null : failureText(preview.error));
  return (
    <DialogFrame title={t('restore.here')} about={t('restore.about')} onClose={onClose}>
      <fieldset className="flex flex-col gap-2">
        <legend className="sr-only">{t('restore.what')}</legend>
        {scopes.map((one) => (
          <label key={one} className="flex items-center gap-2">
            <input
              type="radio"
              name="restore-scope"
              className="size-4"
              checked={scope === one}
              onChange={() => setScope(one)}
            />
            {t(`restore.${one}`)}
          </label>
        ))}
      </fieldset>
      <Planned outcome={preview.data} {...{ replaces, setReplaces }} />
      {failed !== null && <Problem text={failed} />}
      <div className="flex flex-wrap justify-end gap-2">
        <Button size="small" onClick={onClose}>
          {t('restore.cancel')}
        </Button>
        <Button size="small" look="primary" disabled={isBusy || preview.data === undefined} onClick={() => void run()}>
          {t('restore.now')}
        </Button>
      </div>
    </DialogFrame>
  );
}

interface PlannedProps {
  /** Undefined: not known yet. */
  readonly outcome: RestoreOutcome | undefined;
  readonly replaces: boolean;
  readonly setReplaces: (replaces: boolean) => void;
}

/** What will happen. */
function Planned({ outcome, replaces, setReplaces }: PlannedProps) {
  if (outcome === undefined) return <p className="text-xs text-soft">{t('restore.looking')}</p>;
  const { restored, merged, kept, messages } = outcome;
  const left = kept.length - namedFiles;
  return (
    <div className="flex flex-col gap-1 border-t border-line pt-3 text-xs" aria-live="polite">
      {messages > 0 && <p>{plural('restore.messages', messages)}</p>}
      <p>{restored.length === 0 ? t('restore.noFiles') : plural('restore.files', restored.length)}</p>
      {merged.length > 0 && <p>{plural('restore.merged', merged.length)}</p>}
      {kept.length > 0 && (
        <>
          <p className="mt-2 text-warn">{plural('restore.kept', kept.length)}</p>
          <ul className="text-soft wrap-anywhere">
            {kept.slice(0, namedFiles).map(({ path, why }) => (
              <li key={path}>
                <span className="font-mono text-ink">{seenName(path)}</span>: {seenWords(why)}
              </li>
            ))}
            {left > 0 && <li>{plural('restore.more', left)}</li>}
          </ul>
          <label className="mt-2 flex items-start gap-2">
            <input
              type="checkbox"
              className="size-4"
              checked={replaces}
              onChange={({ target }) => setReplaces(target.checked)}
            />
            <span>
              {t('restore.replace')} <span className="text-soft">{t('restore.replaceHint')}</span>
            </span>
          </label>
        </>
      )}
    </div>
  );
}
