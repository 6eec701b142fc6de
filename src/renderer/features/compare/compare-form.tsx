import type { FormEvent } from 'react';
import { useState } from 'react';
import type { ComparisonTask } from '@shared/comparisons/comparison.ts';
import { comparedTasks } from '@shared/comparisons/eval-tasks.ts';
import { nameOfTask } from '@shared/comparisons/way-name.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import type { CoreClient } from '../../lib/connection/core-client.ts';
import { typedFolder } from '../../lib/text/folder-text.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { textRows } from '../../lib/drawing/field-rows.ts';
import { t } from '../../lib/text/translate.ts';
import { useDraft } from '../../lib/input/use-draft.ts';
import { useRoots } from '../../lib/connection/use-host-info.ts';
import { useModelName } from '../../lib/models/use-model-name.ts';
import { useModels } from '../../lib/models/use-local-model.ts';
import { useUsualModels } from '../../lib/models/use-model-options.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field, InputField, inputClass } from '../../ui/controls/field.tsx';
import { FolderField } from '../../ui/controls/folder-field.tsx';
import { IconButton } from '../../ui/controls/icon-button.tsx';
import { ExpectedMessage } from '../../ui/figures/expected-ways.tsx';
import { Icon } from '../../ui/layout/icon.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { KeptTasks, PickedTasks, type TaskSource, useKeptTasks, useSessionTasks, writtenHere } from './kept-tasks.tsx';
import { type DraftWay, useMissing, usualWays, wayOfDraft, WaysField } from './ways-field.tsx';

interface Choice {
  readonly project: string;
  readonly check: string;
  /** Tasks beside the first one. */
  readonly more: readonly { readonly text: string; readonly check: string }[];
  readonly repeat: string;
  readonly maxUsd: string;
  readonly judge: string;
  readonly rubric: string;
  readonly approve: 'deny' | 'allow';
}

interface CompareFormProps {
  readonly task: { readonly text: string; readonly project: string | null } | null;
  /** Their first messages are the tasks. None: a task is written here or read. */
  readonly sessions: readonly string[];
  readonly projects: readonly string[];
  readonly onStarted: (id: string) => void;
}

const firstChoice = (project: string): Choice => ({
  project,
  check: '',
  more: [],
  repeat: '1',
  maxUsd: '',
  judge: '',
  rubric: t('compare.rubric.usual'),
  approve: 'deny',
});

export function CompareForm({ task: given, sessions, projects, onStarted }: CompareFormProps) {
  const client = useClient();
  const [draft, setDraft] = useDraft('compare');
  const [typed, setTyped] = useState(given?.text ?? null);
  const task = typed ?? draft;
  const setTask = (text: string): void => {
    setTyped(null);
    setDraft(text);
  };
  const [choice, setChoice] = useState(() => firstChoice(given?.project ?? projects[0] ?? ''));
  const [source, setSource] = useState(writtenHere);
  const { found, picked, isPicked, isWritten, read, ofPicked, asksFolder } = useTasksToCompare(sessions, source);
  const project = typedFolder(ofPicked ?? choice.project, useRoots());
  const missing = useMissing(project);
  const usual = useUsualModels(project === '' ? null : project);
  const [chosen, setChosen] = useState<readonly DraftWay[] | null>(null);
  const ways = chosen ?? usualWays(missing);
  const [isStarting, setIsStarting] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const hasTasks = isWritten ? task.trim() !== '' : read !== undefined;
  const canStart = hasTasks && project.trim() !== '' && ways.every((way) => missing(way) === null) && !isStarting;

  const start = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (!canStart) return;
    setIsStarting(true);
    setProblem(null);
    try {
      const id = await begin(client, {
        task,
        kept: isWritten ? null : (read?.tasks ?? null),
        choice: { ...choice, project },
        ways: ways.map((way) => wayOfDraft(way, usual)),
      });
      if (isWritten) setTask('');
      onStarted(id);
    } catch (error) {
      setProblem(failureText(error));
      setIsStarting(false);
    }
  };

  return (
    <form aria-label={t('compare.new')} onSubmit={(event) => void start(event)} className="flex flex-col gap-4">
      {isPicked ? (
        <PickedTasks found={picked} />
      ) : (
        <>
          <KeptTasks source={source} projectPath={project} found={found} onChange={setSource} />
          {isWritten && <Tasks task={task} onTask={setTask} choice={choice} onChange={setChoice} />}
        </>
      )}
      {asksFolder && (
        <FolderField
          label={t('compare.project')}
          hint={t('compare.projectHint')}
          folder={choice.project}
          known={projects}
          onChange={(folder) => setChoice({ ...choice, project: folder })}
        />
      )}
      <WaysField ways={ways} projectPath={project} missing={missing} onChange={setChosen} />
      <ExpectedMessage
        pick={{ policy: null }}
        mode="work"
        projectPath={project}
        hasWords={isWritten && task.trim() !== '' && project !== ''}
      />
      <Details choice={choice} onChange={setChoice} />
      <Judge choice={choice} onChange={setChoice} />
      {problem !== null && <Problem text={`${t('compare.failed')} ${problem}`} />}
      <Button type="submit" look="primary" className="self-end" disabled={!canStart}>
        {t(isStarting ? 'compare.starting' : 'compare.start')}
      </Button>
    </form>
  );
}

/** Where the tasks come from. `read` undefined: they are written here, or not read yet. */
function useTasksToCompare(sessions: readonly string[], source: TaskSource) {
  const picked = useSessionTasks(sessions);
  const found = useKeptTasks(source);
  const isPicked = sessions.length > 0;
  const isWritten = !isPicked && source.from === 'written';
  const read = isPicked ? picked.data : found.data && comparedTasks(found.data);
  // Talks without a project are compared in the folder that the person names.
  const ofPicked = isPicked ? (picked.data?.projectPath ?? null) : null;
  const asksFolder = !isPicked || picked.data?.projectPath === null;
  return { found, picked, isPicked, isWritten, read, ofPicked, asksFolder };
}

interface ChoiceProps {
  readonly choice: Choice;
  readonly onChange: (choice: Choice) => void;
}

interface TasksProps extends ChoiceProps {
  readonly task: string;
  readonly onTask: (task: string) => void;
}

/** The task, and more of them with checks of their own. */
function Tasks({ task, onTask, choice, onChange }: TasksProps) {
  const { more } = choice;
  const put = (index: number, change: Partial<Choice['more'][number]>): void =>
    onChange({ ...choice, more: more.map((one, at) => (at === index ? { ...one, ...change } : one)) });
  return (
    <>
      <Field label={t('compare.task')}>
        {(ids) => (
          <textarea
            {...ids}
            rows={textRows(task, 3, 12)}
            value={task}
            placeholder={t('task.placeholder.work')}
            onChange={(event) => onTask(event.target.value)}
            className={`${inputClass} resize-none`}
          />
        )}
      </Field>
      {more.map((one, index) => (
        <div key={`${index}`} className="flex flex-col gap-2 rounded-lg border border-line p-2.5">
          <Field label={t('compare.moreTask', { number: index + 2 })}>
            {(ids) => (
              <textarea
                {...ids}
                rows={textRows(one.text, 2, 8)}
                value={one.text}
                onChange={(event) => put(index, { text: event.target.value })}
                className={`${inputClass} resize-none`}
              />
            )}
          </Field>
          <div className="flex items-end gap-2">
            <InputField
              label={t('compare.ownCheck')}
              className="flex-1"
              type="text"
              spellCheck={false}
              value={one.check}
              onText={(check) => put(index, { check })}
            />
            <IconButton
              icon="close"
              label={t('compare.removeTask', { number: index + 2 })}
              onClick={() => onChange({ ...choice, more: more.filter((_, at) => at !== index) })}
            />
          </div>
        </div>
      ))}
      <Button
        size="small"
        className="self-start"
        onClick={() => onChange({ ...choice, more: [...more, { text: '', check: '' }] })}
      >
        <Icon name="plus" /> {t('compare.addTask')}
      </Button>
    </>
  );
}

function Details({ choice, onChange }: ChoiceProps) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <InputField
        label={t('compare.check')}
        hint={t('compare.checkHint')}
        type="text"
        spellCheck={false}
        value={choice.check}
        onText={(text) => onChange({ ...choice, check: text })}
      />
      <Field label={t('compare.approve')} hint={t('compare.approveHint')}>
        {(ids) => (
          <Select
            {...ids}
            value={choice.approve}
            onChange={({ target }) => onChange({ ...choice, approve: target.value === 'allow' ? 'allow' : 'deny' })}
          >
            <option value="deny">{t('compare.approve.deny')}</option>
            <option value="allow">{t('compare.approve.allow')}</option>
          </Select>
        )}
      </Field>
      <InputField
        label={t('compare.repeat')}
        type="number"
        min={1}
        max={50}
        step={1}
        required
        value={choice.repeat}
        onText={(text) => onChange({ ...choice, repeat: text })}
      />
      <InputField
        label={t('compare.maxUsd')}
        hint={t('compare.maxUsdHint')}
        type="number"
        min={0}
        step="any"
        value={choice.maxUsd}
        onText={(text) => onChange({ ...choice, maxUsd: text })}
      />
    </div>
  );
}

/** Who says which answer is better: checks and you, or a model by a rubric. */
function Judge({ choice, onChange }: ChoiceProps) {
  const models = (useModels().data ?? []).filter(({ state }) => state === 'ready');
  const nameOf = useModelName();
  return (
    <>
      <Field label={t('compare.judge')} hint={t('compare.judgeHint')}>
        {(ids) => (
          <Select {...ids} value={choice.judge} onChange={({ target }) => onChange({ ...choice, judge: target.value })}>
            <option value="">{t('compare.judge.you')}</option>
            {models.map(({ id }) => (
              <option key={id} value={id}>
                {nameOf(id)}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {choice.judge !== '' && (
        <Field label={t('compare.rubric')}>
          {(ids) => (
            <textarea
              {...ids}
              rows={textRows(choice.rubric, 2, 8)}
              value={choice.rubric}
              onChange={(event) => onChange({ ...choice, rubric: event.target.value })}
              className={`${inputClass} resize-none`}
            />
          )}
        </Field>
      )}
    </>
  );
}

interface Begun {
  readonly task: string;
  /** Tasks that were read, in place of those that were written. */
  readonly kept: readonly ComparisonTask[] | null;
  readonly choice: Choice;
  readonly ways: readonly ReturnType<typeof wayOfDraft>[];
}

/** Creates the comparison and starts its runs. Returns its id. Rejects with a typed failure of the core. */
async function begin(client: CoreClient, { task, kept, choice, ways }: Begun): Promise<string> {
  const { check, repeat, maxUsd, judge, rubric, approve, project: projectPath } = choice;
  const all = [{ text: task, check: '' }, ...choice.more.filter(({ text }) => text.trim() !== '')];
  const { id } = await client.comparisons.create({
    projectPath,
    tasks:
      kept === null
        ? all.map((one) => ({
            name: nameOfTask(one.text),
            text: one.text,
            ...(one.check.trim() === '' ? {} : { check: one.check.trim() }),
          }))
        : [...kept],
    ways: [...ways],
    repeat: Number(repeat),
    approve,
    ...(check.trim() === '' ? {} : { check: check.trim() }),
    ...(maxUsd === '' ? {} : { maxUsd: Number(maxUsd) }),
    ...(judge === '' ? {} : { judge: { model: judge, rubric } }),
  });
  await client.comparisons.start({ id });
  return id;
}
