import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { EvalTasks } from '@shared/comparisons/eval-tasks.ts';
import { seenName, seenText } from '@shared/text/seen-text.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { useIsCommandRefused } from '../../lib/connection/use-host-info.ts';
import { clock } from '../../lib/text/format.ts';
import { plural, t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field, InputField } from '../../ui/controls/field.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { Problem } from '../../ui/notices/problem.tsx';

/** Where the tasks come from: written here, or read from a folder or a file. */
export interface TaskSource {
  readonly from: 'written' | 'folder' | 'calibration';
  /** The folder or file. */
  readonly path: string;
}

export const writtenHere: TaskSource = { from: 'written', path: '' };

/** The tasks that a source has. Undefined: not read yet, or none is named. */
export function useKeptTasks({ from, path }: TaskSource) {
  const client = useClient();
  return useQuery({
    queryKey: ['kept-tasks', path],
    queryFn: ({ signal }) => client.comparisons.tasks({ path, repos: null }, { signal }),
    enabled: from !== 'written' && path.trim() !== '',
    retry: false,
  });
}

/** The first messages of sessions as tasks, each with its check and the files before it. */
export function useSessionTasks(sessions: readonly string[]) {
  const client = useClient();
  return useQuery({
    queryKey: ['session-tasks', ...sessions],
    queryFn: ({ signal }) => client.comparisons.sessionTasks({ sessionIds: [...sessions], orNow: true }, { signal }),
    enabled: sessions.length > 0,
    retry: false,
  });
}

/** Says which tasks the chosen sessions give. */
export function PickedTasks({ found }: { readonly found: ReturnType<typeof useSessionTasks> }) {
  if (found.error !== null) return <Problem text={failureText(found.error)} />;
  if (found.data === undefined) return null;
  const { tasks } = found.data;
  return (
    <section aria-label={t('compare.tasksFrom')} className="text-sm text-soft">
      <output className="block">{plural('compare.tasksPicked', tasks.length)}</output>
      <ul className="list-disc pl-5">
        {tasks.map(({ name, from }) => (
          <li key={from?.sessionId} className="wrap-anywhere">
            {seenText(name)}
          </li>
        ))}
      </ul>
    </section>
  );
}

interface KeptTasksProps {
  readonly source: TaskSource;
  readonly projectPath: string;
  readonly found: ReturnType<typeof useKeptTasks>;
  readonly onChange: (source: TaskSource) => void;
}

/** Chooses where the tasks come from, and says which were read and what cannot be run. */
export function KeptTasks({ source, projectPath, found, onChange }: KeptTasksProps) {
  const client = useClient();
  const [typed, setTyped] = useState('');
  const isRefused = useIsCommandRefused('comparisons.tasks');
  const made = useQuery({
    queryKey: ['calibrations'],
    queryFn: ({ signal }) => client.calibrations.list(undefined, { signal }),
    enabled: !isRefused,
  });
  if (isRefused) return null;
  const kept = (made.data ?? []).flatMap(({ id, createdAt, input, kept: capsules }) =>
    capsules !== null && capsules.tasks.length > 0 && input.projectPath === projectPath
      ? [{ id, createdAt, folder: capsules.folder, count: capsules.tasks.length }]
      : [],
  );
  const choose = (value: string): void => {
    const one = kept.find(({ id }) => id === value);
    if (one !== undefined) onChange({ from: 'calibration', path: one.folder });
    else onChange(value === 'folder' ? { from: 'folder', path: '' } : writtenHere);
  };
  return (
    <>
      <Field label={t('compare.tasksFrom')}>
        {(ids) => (
          <Select
            {...ids}
            value={
              source.from === 'calibration'
                ? (kept.find(({ folder }) => folder === source.path)?.id ?? 'written')
                : source.from
            }
            onChange={({ target }) => choose(target.value)}
          >
            <option value="written">{t('compare.tasksFrom.written')}</option>
            {kept.map(({ id, createdAt, count }) => (
              <option key={id} value={id}>
                {t('compare.tasksFrom.calibration', { count: String(count), day: clock(createdAt, Date.now()) })}
              </option>
            ))}
            <option value="folder">{t('compare.tasksFrom.folder')}</option>
          </Select>
        )}
      </Field>
      {source.from === 'folder' && (
        <div className="flex items-start gap-2">
          <InputField
            label={t('compare.tasksPath')}
            hint={t('compare.tasksPathHint')}
            className="flex-1"
            type="text"
            spellCheck={false}
            value={typed}
            onText={setTyped}
          />
          <Button
            className="mt-6.5"
            disabled={typed.trim() === ''}
            onClick={() => onChange({ from: 'folder', path: typed.trim() })}
          >
            {t('compare.readTasks')}
          </Button>
        </div>
      )}
      {found.error !== null && source.from !== 'written' && <Problem text={failureText(found.error)} />}
      {found.data !== undefined && source.from !== 'written' && <Found found={found.data} />}
    </>
  );
}

const mostNames = 8;

function Found({ found: { tasks, skipped } }: { readonly found: EvalTasks }) {
  const names = tasks.slice(0, mostNames).map(({ id, kind }) => `${seenName(id)} (${seenName(kind)})`);
  const more = tasks.length > mostNames ? ', …' : '';
  return (
    <div className="text-sm text-soft">
      <output className="block wrap-anywhere">{`${plural('compare.tasksFound', tasks.length)} ${names.join(', ')}${more}`}</output>
      <ul className="list-disc pl-5 empty:hidden">
        {skipped.map(({ id, why }) => (
          <li key={id} className="wrap-anywhere">
            {t('compare.taskSkipped', { name: seenName(id), why: seenText(why) })}
          </li>
        ))}
      </ul>
    </div>
  );
}
