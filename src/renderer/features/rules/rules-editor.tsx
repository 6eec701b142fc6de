import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { RuleFile, RuleOwner } from '@shared/rules/rule-report.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import { folderText } from '../../lib/text/folder-text.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { useIsCommandRefused } from '../../lib/connection/use-host-info.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { offerUndo } from '../../lib/notices/offer-undo.ts';
import { t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Notice } from '../../ui/notices/notice.tsx';
import { ViewOnly } from '../../ui/notices/view-only.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { RuleList } from './rule-list.tsx';
import { RuleText } from './rule-text.tsx';
import { RuleTryout } from './rule-tryout.tsx';

interface RulesEditorProps {
  readonly projectPath: string | null;
  readonly owner: RuleOwner;
}

/** One rules file: which part of it applies, its rules as a list or as text, and a test of what they do. */
export default function RulesEditor({ projectPath, owner }: RulesEditorProps) {
  const client = useClient();
  const report = useQuery({
    queryKey: ['rules', projectPath],
    queryFn: ({ signal }) => client.rules.show({ projectPath }, { signal }),
    staleTime: 0,
  });
  const file = report.data?.files.find((one) => one.owner === owner);
  if (report.error !== null) return <Problem text={failureText(report.error)} onRetry={report.refetch} />;
  if (file === undefined) return <p className="text-sm text-soft">{t('rules.loading')}</p>;
  // The editor starts again for another file, or when another program has changed this one.
  return <Editor key={`${file.path} ${file.hash ?? ''}`} file={file} projectPath={projectPath} />;
}

function Editor({ file, projectPath }: { readonly file: RuleFile; readonly projectPath: string | null }) {
  const client = useClient();
  const isRefused = useIsCommandRefused('rules.save');
  const { owner } = file;
  const [text, setText] = useState(file.text ?? '');
  // The text before each change in the list. The text field has its own undo.
  const [past, setPast] = useState<readonly string[]>([]);
  const changeList = (next: string): void => {
    setPast([...past, text]);
    setText(next);
  };
  const typeText = (next: string): void => {
    setPast([]);
    setText(next);
  };
  const revert = (): void => {
    setText(past.at(-1) ?? text);
    setPast(past.slice(0, -1));
  };
  const [view, setView] = useState<'list' | 'text'>(file.errors.length > 0 ? 'text' : 'list');
  const checked = useQuery({
    queryKey: ['rules', 'check', projectPath, owner, text],
    queryFn: ({ signal }) => client.rules.check({ projectPath, owner, text }, { signal }),
    placeholderData: (last) => last,
  });
  const check = checked.data ?? file;
  return (
    <div className="flex flex-col gap-4">
      <FileState file={file} projectPath={projectPath} />
      <div className="flex gap-1">
        {(['list', 'text'] as const).map((one) => (
          <Button key={one} size="small" look="quiet" aria-pressed={view === one} onClick={() => setView(one)}>
            {t(`rules.view.${one}`)}
          </Button>
        ))}
      </div>
      <fieldset disabled={isRefused} className="contents">
        {view === 'list' ? (
          <RuleList text={text} check={check} onText={changeList} />
        ) : (
          <RuleText text={text} check={check} onText={typeText} />
        )}
      </fieldset>
      {isRefused && <ViewOnly text={t('rules.refused')} />}
      {!isRefused && (
        <Saving
          file={file}
          projectPath={projectPath}
          text={text}
          isRight={check.errors.length === 0}
          onRevert={past.length === 0 ? null : revert}
        />
      )}
      <RuleTryout projectPath={projectPath} owner={owner} text={text} />
    </div>
  );
}

interface FileProps {
  readonly file: RuleFile;
  readonly projectPath: string | null;
}

/** The path of the file, which part applies, and why the rest does not. */
function FileState({ file, projectPath }: FileProps) {
  const client = useClient();
  const queries = useQueryClient();
  const isRefused = useIsCommandRefused('rules.approve');
  const [problem, setProblem] = useState<string | null>(null);
  const { path, holds, problems, hash } = file;
  const approve = async (): Promise<void> => {
    if (projectPath === null || hash === null) return;
    try {
      await client.rules.approve({ projectPath, hash });
      setProblem(null);
    } catch (error) {
      setProblem(failureText(error));
    }
    await queries.invalidateQueries({ queryKey: ['rules'] });
  };
  return (
    <>
      <p className="text-sm text-soft wrap-anywhere">
        <span className="font-mono">{seenName(folderText(path))}</span> · {t(`rules.holds.${holds}`)}
      </p>
      {problems.length > 0 && (
        <Notice kind={holds === 'shut' ? 'error' : 'warning'}>
          {problems.map((one) => (
            <p key={one}>{seenWords(one)}</p>
          ))}
        </Notice>
      )}
      {holds === 'stricter' && !isRefused && (
        <div className="flex items-center gap-3 text-sm">
          <p className="min-w-0 flex-1">{t('rules.approveText')}</p>
          <Button size="small" onClick={() => void approve()}>
            {t('rules.approve')}
          </Button>
        </div>
      )}
      {problem !== null && <Problem text={problem} />}
    </>
  );
}

interface SavingProps extends FileProps {
  readonly text: string;
  readonly isRight: boolean;
  /** Null when there is nothing to undo. */
  readonly onRevert: (() => void) | null;
}

function Saving({ file, projectPath, text, isRight, onRevert }: SavingProps) {
  const client = useClient();
  const queries = useQueryClient();
  const [problem, setProblem] = useState<string | null>(null);
  const { owner, hash, holds } = file;
  const isChanged = text !== (file.text ?? '');
  const save = async (): Promise<void> => {
    const before = file.text ?? '';
    try {
      const report = await client.rules.save({ projectPath, owner, text, hash, approve: owner === 'project' });
      setProblem(null);
      const written = report.files.find((one) => one.owner === owner)?.hash ?? null;
      offerUndo(t('rules.saved'), async () => {
        // Does not give the old text an approval that it did not have.
        const approve = owner === 'project' && holds === 'as-written';
        await client.rules.save({ projectPath, owner, text: before, hash: written, approve });
        await queries.invalidateQueries({ queryKey: ['rules'] });
      });
      await queries.invalidateQueries({ queryKey: ['rules'] });
    } catch (error) {
      setProblem(failureText(error));
    }
  };
  return (
    <>
      <div className="flex items-center gap-3">
        <Button look="primary" disabled={!isChanged || !isRight} onClick={() => void save()}>
          {t('rules.save')}
        </Button>
        {onRevert !== null && <Button onClick={onRevert}>{t('rules.undoLast')}</Button>}
        <p aria-live="polite" className="text-sm text-soft">
          {isRight ? isChanged && t(`rules.notSaved.${owner}`) : t('rules.hasErrors')}
        </p>
      </div>
      {problem !== null && <Problem text={problem} />}
    </>
  );
}
