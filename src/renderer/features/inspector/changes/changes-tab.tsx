import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { SessionState } from '@shared/session/session-state.ts';
import { changeVersion } from '@shared/session/file-change-state.ts';
import { sessionStatus } from '@shared/session/session-state.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { useClient } from '../../../lib/connection/core-context.ts';
import { announce } from '../../../lib/notices/announce.ts';
import { failureText } from '../../../lib/connection/failure-text.ts';
import { plural, t } from '../../../lib/text/translate.ts';
import { useFirstItems } from '../../../lib/drawing/use-first-items.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { Empty } from '../../../ui/layout/facts.tsx';
import { MoreButton } from '../../../ui/controls/more-button.tsx';
import { Problem } from '../../../ui/notices/problem.tsx';
import { FileChange } from './file-change.tsx';
import { isSideBySide as isSideBySideWanted } from '../../../lib/window/preferences.ts';
import { useStoredValue } from '../../../lib/window/stored-value.ts';
import { AutoRunFiles } from './auto-run-files.tsx';
import type { ChangedFile, ChangeOutcome, HunkChoice } from '@shared/contract/sessions-contract.ts';

interface ChangesTabProps {
  readonly sessionId: string;
  readonly state: SessionState;
  /** Whether it has the width of the window. */
  readonly isWide: boolean;
  /** Adds words to the message in the composer. */
  readonly onComment: (text: string) => void;
}

type What = 'take' | 'undo';

const noFiles: readonly ChangedFile[] = [];
/** Number of files rendered at first, and added with each click. */
const step = 100;
/** With more files, each one is closed at first. */
const openFiles = 20;

/** The changes of a session, file by file, to take or undo. */
export function ChangesTab({ sessionId, state, isWide, onComment }: ChangesTabProps) {
  const [isSideBySide] = useStoredValue(isSideBySideWanted);
  const [comments, setComments] = useState(0);
  const { version, query, problem, change } = useChanges(sessionId, state);
  const files = query.data ?? noFiles;
  const { shown, left, more } = useFirstItems(files, step);
  if (version === '') {
    return (
      <div className="flex flex-col gap-3">
        <AutoRunFiles files={noFiles} untracked={state.untracked} />
        <Empty action="message">{t('changes.none')}</Empty>
      </div>
    );
  }
  const isRunning = sessionStatus(state) === 'running';
  const isCopy = state.workspace?.mode === 'copy';
  return (
    <div className="flex flex-col gap-3">
      {problem !== null && <Problem text={problem} />}
      {query.error !== null && (
        <Problem text={`${t('changes.failed')} ${failureText(query.error)}`} onRetry={query.refetch} />
      )}
      <AutoRunFiles files={files} untracked={state.untracked} />
      {isRunning && <p className="text-xs text-soft">{t('changes.busy')}</p>}
      {isWide && <LayoutChoice />}
      {comments > 0 && <output className="text-xs text-soft">{plural('changes.comments', comments)}</output>}
      <AllButtons files={files} isCopy={isCopy} isDisabled={isRunning} onChange={change} />
      {shown.map((file) => (
        <FileChange
          key={file.path}
          file={file}
          isFirstOpen={file.state === 'open' && files.length <= openFiles}
          isCopy={isCopy}
          isDisabled={isRunning}
          onChange={(what, hunk) => void change(what, [file.path], hunksOf(file, hunk))}
          isSplit={isWide && isSideBySide}
          onComment={(line, text) => {
            onComment(t('changes.about', { path: seenName(file.path), line, text }));
            setComments(comments + 1);
          }}
        />
      ))}
      <MoreButton left={left} onMore={more} />
      {state.totals.changesLeftOut > 0 && (
        <p className="text-xs text-soft">{plural('changes.leftOut', state.totals.changesLeftOut)}</p>
      )}
    </div>
  );
}

function hunksOf({ version }: ChangedFile, place: number | undefined): HunkChoice | undefined {
  return place === undefined || version === undefined ? undefined : { places: [place], version };
}

/** The changes, and the functions that take or undo one. */
function useChanges(sessionId: string, state: SessionState) {
  const client = useClient();
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  // Loads again only when a change was added, undone or reviewed.
  const version = state.changes.map(changeVersion).join(' ');
  const query = useQuery({
    queryKey: ['changes', sessionId, version],
    queryFn: ({ signal }) => client.changes.show({ sessionId }, { signal }),
    enabled: version !== '',
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const change = async (what: What, paths: readonly string[], hunks?: HunkChoice): Promise<void> => {
    // The button stays enabled while it works, because a disabled button would lose the focus.
    if (isBusy) return;
    setIsBusy(true);
    try {
      const about = hunks === undefined ? {} : { hunks };
      const outcome = await client.changes[what]({ sessionId, paths: [...paths], ...about });
      setProblem(refusedText(outcome));
      const merged = mergedText(outcome);
      if (merged !== null) announce({ kind: 'info', text: merged });
    } catch (error) {
      setProblem(failureText(error));
    }
    setIsBusy(false);
  };
  return { version, query, problem, change };
}

/** Whether both sides of a change are side by side if there is room. The choice is stored. */
function LayoutChoice() {
  const [isSideBySide, setIsSideBySide] = useStoredValue(isSideBySideWanted);
  return (
    <fieldset aria-label={t('changes.layout')} className="flex gap-1">
      <Button size="small" look="quiet" aria-pressed={!isSideBySide} onClick={() => setIsSideBySide(false)}>
        {t('changes.unified')}
      </Button>
      <Button size="small" look="quiet" aria-pressed={isSideBySide} onClick={() => setIsSideBySide(true)}>
        {t('changes.sideBySide')}
      </Button>
    </fieldset>
  );
}

interface AllButtonsProps {
  readonly files: readonly ChangedFile[];
  readonly isCopy: boolean;
  readonly isDisabled: boolean;
  readonly onChange: (what: What, paths: readonly string[]) => Promise<void>;
}

function AllButtons({ files, isCopy, isDisabled, onChange }: AllButtonsProps) {
  const open = files.filter((file) => file.state === 'open').map((file) => file.path);
  if (open.length < 2) return null;
  return (
    <div className="flex gap-2">
      <Button size="small" disabled={isDisabled} onClick={() => void onChange('take', open)}>
        {t(isCopy ? 'changes.takeAll' : 'changes.reviewAll')}
      </Button>
      <Button size="small" disabled={isDisabled} onClick={() => void onChange('undo', open)}>
        {t(isCopy ? 'changes.discardAll' : 'changes.undoAll')}
      </Button>
    </div>
  );
}

/** The files that keep what you changed in them. */
function mergedText({ merged = [] }: ChangeOutcome): string | null {
  return merged.length === 0 ? null : t('changes.merged', { list: merged.map(seenName).join(', ') });
}

function refusedText({ refused }: ChangeOutcome): string | null {
  if (refused.length === 0) return null;
  return t('changes.refused', { list: refused.map(({ path, why }) => `${seenName(path)} (${why})`).join(', ') });
}
