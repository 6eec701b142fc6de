import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { ForgetReport, MemoryLine } from '@shared/projects/memory-line.ts';
import { listedFolder, namesApart, type ListedProject } from '@shared/projects/project-list.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { useIsCommandRefused } from '../../lib/connection/use-host-info.ts';
import { offerUndo } from '../../lib/notices/offer-undo.ts';
import { folderText } from '../../lib/text/folder-text.ts';
import { plural, t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field, InputField } from '../../ui/controls/field.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { Group } from '../../ui/controls/settings-parts.tsx';
import { Problem } from '../../ui/notices/problem.tsx';

type Place = MemoryLine['of'];

interface MemoryReply {
  readonly forgotten?: ForgetReport;
}

interface Change {
  readonly add?: { readonly text: string; readonly of: Place };
  readonly forget?: string;
}

interface ProjectMemoryProps {
  /** Null: the lines for every project alone. */
  readonly projectPath: string | null;
  readonly isWanted?: boolean;
  /** Chooses the project, where no page has done so. */
  readonly choice?: ReactNode;
}

/** With fewer lines, a search is no help. */
const leastSearched = 4;

/** What agents are told in later tasks: lines of the user, each to be searched, changed or forgotten. */
export function ProjectMemory({ projectPath, isWanted = false, choice }: ProjectMemoryProps) {
  const client = useClient();
  const queries = useQueryClient();
  const isRefused = useIsCommandRefused('memory.add');
  const [problem, setProblem] = useState<string | null>(null);
  const [sought, setSought] = useState('');
  const queryKey = ['memory', projectPath];
  const found = useQuery({
    queryKey,
    queryFn: ({ signal }) => client.memory.list({ projectPath }, { signal }),
    staleTime: 0,
    // It is a file that you may edit by hand.
    refetchOnWindowFocus: 'always',
  });
  const save = async ({ add, forget }: Change): Promise<void> => {
    // The new line first: if it is refused, the old one stays.
    if (add !== undefined) queries.setQueryData(queryKey, await client.memory.add({ projectPath, ...add }));
    // A line that is changed stays in the logs as it was.
    const onlyHere = add !== undefined;
    if (forget !== undefined)
      queries.setQueryData(queryKey, await client.memory.forget({ projectPath, id: forget, onlyHere }));
  };
  const change = async (wanted: Change): Promise<boolean> => {
    setProblem(null);
    try {
      await save(wanted);
      return true;
    } catch (error) {
      setProblem(failureText(error));
      // Somebody may have changed the file meanwhile.
      await queries.invalidateQueries({ queryKey });
      return false;
    }
  };
  const forget = async ({ id, text, of }: MemoryLine): Promise<void> => {
    if (!(await change({ forget: id }))) return;
    const { forgotten } = queries.getQueryData<MemoryReply>(queryKey) ?? {};
    // Undo notes the line again. What was taken out of logs stays out.
    const logs = forgotten?.sessions ?? 0;
    const said = logs === 0 ? t('project.memory.forgotten') : plural('project.memory.forgottenIn', logs);
    offerUndo(said, () => save({ add: { text, of } }));
    if (forgotten !== undefined && forgotten.busy.length > 0)
      setProblem(plural('project.memory.busy', forgotten.busy.length));
  };
  const { lines = [], files } = found.data ?? {};
  const words = sought.toLowerCase().split(' ');
  const shown = lines.filter(({ text }) => words.every((word) => text.toLowerCase().includes(word)));
  return (
    <Group title={t('project.memory')} isWanted={isWanted}>
      {found.error !== null && <Problem text={failureText(found.error)} onRetry={() => void found.refetch()} />}
      <p className="text-sm text-soft wrap-anywhere">
        {t('project.memory.text')}
        {files !== undefined && ` ${t('project.memory.files', { file: folderText(files.project ?? files.you) })}`}
      </p>
      {choice}
      {lines.length >= leastSearched && (
        <InputField label={t('project.memory.search')} type="search" value={sought} onText={setSought} />
      )}
      {lines.length === 0 && found.data !== undefined && (
        <p className="text-sm text-soft">{t('project.memory.none')}</p>
      )}
      {lines.length > 0 && shown.length === 0 && <p className="text-sm text-soft">{t('project.memory.noMatch')}</p>}
      <ul className={`flex flex-col gap-2 text-sm empty:hidden ${isRefused ? '' : 'max-h-96 overflow-y-auto'}`}>
        {shown.map((line) => (
          <Row key={line.id} {...{ line, isRefused, change }} onForget={() => void forget(line)} />
        ))}
      </ul>
      {problem !== null && <Problem text={problem} />}
      {!isRefused && <NewLine change={change} hasProject={projectPath !== null} />}
    </Group>
  );
}

interface RowProps {
  readonly line: MemoryLine;
  readonly isRefused: boolean;
  readonly change: (wanted: Change) => Promise<boolean>;
  readonly onForget: () => void;
}

function Row({ line, isRefused, change, onForget }: RowProps) {
  const { id, text, date, of, sessionId, isAfterOutside, uses = [] } = line;
  /** Null: it is not being changed. */
  const [typed, setTyped] = useState<string | null>(null);
  const facts = [
    t(`project.memory.of.${of}`),
    ...(date === null ? [] : [date]),
    ...(sessionId === null ? [] : [t('project.memory.proposed')]),
    ...(uses.length === 0 ? [] : [plural('project.memory.uses', uses.length)]),
  ];
  const save = async (): Promise<void> => {
    const next = typed?.trim() ?? '';
    if (next === '' || next === text || (await change({ add: { text: next, of }, forget: id }))) setTyped(null);
  };
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1">
      {typed === null ? (
        <div className="min-w-0 flex-1">
          <p className="wrap-anywhere">{seenWords(text)}</p>
          <p className="text-xs text-soft">{facts.join(' · ')}</p>
          {isAfterOutside && <p className="text-xs text-warn">{t('project.memory.outside')}</p>}
        </div>
      ) : (
        <form
          className="flex min-w-0 flex-1 items-end gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            void save();
          }}
        >
          <InputField label={t('project.memory.line')} className="flex-1" value={typed} onText={setTyped} />
          <Button type="submit">{t('project.memory.save')}</Button>
        </form>
      )}
      {!isRefused && (
        <>
          <Button size="small" look="quiet" onClick={() => setTyped(typed === null ? text : null)}>
            {t(typed === null ? 'project.memory.edit' : 'project.memory.cancel')}
          </Button>
          <Button
            size="small"
            look="quiet"
            aria-label={t('project.memory.forgetOne', { line: text })}
            onClick={onForget}
          >
            {t('project.memory.forget')}
          </Button>
        </>
      )}
    </li>
  );
}

function NewLine({ change, hasProject }: Pick<RowProps, 'change'> & { readonly hasProject: boolean }) {
  const [text, setText] = useState('');
  const [chosen, setOf] = useState<Place>('project');
  const of = hasProject ? chosen : 'you';
  const add = async (): Promise<void> => {
    if (await change({ add: { text: text.trim(), of } })) setText('');
  };
  return (
    <form
      aria-label={t('project.memory')}
      className="grid items-end gap-3 sm:grid-cols-[1fr_auto_auto]"
      onSubmit={(event) => {
        event.preventDefault();
        void add();
      }}
    >
      <InputField label={t('project.memory.new')} value={text} onText={setText} />
      {hasProject && (
        <Field label={t('approval.line-for')}>
          {(ids) => (
            <Select {...ids} value={of} onChange={({ target }) => setOf(target.value === 'you' ? 'you' : 'project')}>
              <option value="project">{t('project.memory.of.project')}</option>
              <option value="you">{t('project.memory.of.you')}</option>
            </Select>
          )}
        </Field>
      )}
      <Button type="submit" disabled={text.trim() === ''}>
        {t('project.memory.add')}
      </Button>
    </form>
  );
}

interface MemorySettingsProps {
  readonly projects: readonly ListedProject[];
  /** The project to begin with. Empty: every project. */
  readonly wanted: string;
  readonly isWanted: boolean;
}

/** The memory of the user, and that of each project, in one place. */
export default function MemorySettings({ projects, wanted, isWanted }: MemorySettingsProps) {
  const [chosen, setChosen] = useState(wanted);
  // A project without sessions is in no list.
  const isListed = wanted === '' || projects.some(({ path }) => path === wanted);
  const all = isListed ? projects : [...projects, listedFolder(wanted)];
  const names = namesApart(all);
  const choice = all.length > 0 && (
    <Field label={t('project.memory.show')}>
      {(ids) => (
        <Select {...ids} value={chosen} onChange={({ target }) => setChosen(target.value)}>
          <option value="">{t('project.memory.everyProject')}</option>
          {all.map((one) => (
            <option key={one.path} value={one.path}>
              {seenName(names.get(one.path) ?? one.name)}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
  return <ProjectMemory key={chosen} projectPath={chosen === '' ? null : chosen} isWanted={isWanted} choice={choice} />;
}
