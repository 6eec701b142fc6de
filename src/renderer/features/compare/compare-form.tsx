import { useQuery } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { useState } from 'react';
import { seenName } from '@shared/text/seen-text.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import type { CoreClient } from '../../lib/connection/core-client.ts';
import { typedFolder } from '../../lib/text/folder-text.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { textRows } from '../../lib/drawing/field-rows.ts';
import { routingPolicies } from '../../lib/models/routing-policies.ts';
import { t } from '../../lib/text/translate.ts';
import { useNavigate } from '../../lib/window/navigation.ts';
import { useDraft } from '../../lib/input/use-draft.ts';
import { useRoots } from '../../lib/connection/use-host-info.ts';
import { useLocalModel, useModels } from '../../lib/models/use-local-model.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field, InputField, inputClass } from '../../ui/controls/field.tsx';
import { FolderField } from '../../ui/controls/folder-field.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { Select } from '../../ui/controls/select.tsx';

type Policy = (typeof routingPolicies)[number];

interface Choice {
  readonly project: string;
  readonly check: string;
  readonly policies: readonly Policy[];
  readonly repeat: string;
  readonly maxUsd: string;
  readonly cloud: string;
}

interface CompareFormProps {
  readonly task: { readonly text: string; readonly project: string | null } | null;
  readonly projects: readonly string[];
  readonly onStarted: (id: string) => void;
}

export function CompareForm({ task: given, projects, onStarted }: CompareFormProps) {
  const client = useClient();
  const roots = useRoots();
  const [draft, setDraft] = useDraft('compare');
  const [typed, setTyped] = useState(given?.text ?? null);
  const task = typed ?? draft;
  const setTask = (text: string): void => {
    setTyped(null);
    setDraft(text);
  };
  const [choice, setChoice] = useState<Choice>({
    project: given?.project ?? projects[0] ?? '',
    check: '',
    policies: routingPolicies,
    repeat: '1',
    maxUsd: '',
    cloud: '',
  });
  const [isStarting, setIsStarting] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const missing = useMissing(choice.cloud);
  const policies = choice.policies.filter((policy) => missing[policy] === null);
  const canStart = task.trim() !== '' && choice.project.trim() !== '' && policies.length > 0 && !isStarting;

  const start = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (!canStart) return;
    setIsStarting(true);
    setProblem(null);
    try {
      const id = await begin(client, task, { ...choice, policies, project: typedFolder(choice.project, roots) });
      setTask('');
      onStarted(id);
    } catch (error) {
      setProblem(failureText(error));
      setIsStarting(false);
    }
  };

  return (
    <form aria-label={t('compare.new')} onSubmit={(event) => void start(event)} className="flex flex-col gap-4">
      <Subject task={task} onTask={setTask} projects={projects} choice={choice} onChange={setChoice} />
      <Policies choice={choice} missing={missing} onChange={setChoice} />
      <Details choice={choice} onChange={setChoice} />
      {problem !== null && <Problem text={`${t('compare.failed')} ${problem}`} />}
      <Button type="submit" look="primary" className="self-end" disabled={!canStart}>
        {t(isStarting ? 'compare.starting' : 'compare.start')}
      </Button>
    </form>
  );
}

interface ChoiceProps {
  readonly choice: Choice;
  readonly onChange: (choice: Choice) => void;
}

interface SubjectProps extends ChoiceProps {
  readonly task: string;
  readonly onTask: (task: string) => void;
  readonly projects: readonly string[];
}

/** The task, and the folder to do it in. */
function Subject({ task, onTask, projects, choice, onChange }: SubjectProps) {
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
      <FolderField
        label={t('compare.project')}
        hint={t('compare.projectHint')}
        folder={choice.project}
        known={projects}
        onChange={(project) => onChange({ ...choice, project })}
      />
    </>
  );
}

/** What is missing to run a policy now; null when nothing is. */
type Missing = Readonly<Record<Policy, 'local' | 'cloud' | null>>;

/** An unknown state does not count as missing. */
function useMissing(cloud: string): Missing {
  const models = useModels().data;
  const local = useLocalModel().data;
  const usual = useUsualCloud();
  const wanted = cloud === '' ? usual : cloud;
  const isLocalReady = local === undefined || local.model?.state === 'ready';
  // A model in no list may still work. A listed model of a service without a key is not ready.
  const listed = models?.find(({ id }) => id === wanted);
  const isKnown = models !== undefined && wanted !== undefined;
  const isCloudReady = !isKnown || (wanted !== null && (listed?.state ?? 'ready') === 'ready');
  const here = isLocalReady ? null : 'local';
  const there = isCloudReady ? null : 'cloud';
  return { local: here, hybrid: here ?? there, cloud: there };
}

function useUsualCloud(): unknown {
  const client = useClient();
  return useQuery({
    queryKey: ['settings', 'cloud'],
    queryFn: ({ signal }) => client.settings.get({ key: 'cloud' }, { signal }),
  }).data;
}

/** The policies that can run now. The others say what they need and where to get it. */
function Policies({ choice, missing, onChange }: ChoiceProps & { readonly missing: Missing }) {
  const navigate = useNavigate();
  const toggle = (policy: Policy, isChosen: boolean): void => {
    const chosen = routingPolicies.filter((one) => (one === policy ? isChosen : choice.policies.includes(one)));
    onChange({ ...choice, policies: chosen });
  };
  const needs = (['local', 'cloud'] as const).filter((place) => missing[place] !== null);
  return (
    <fieldset className="flex flex-wrap gap-x-5 gap-y-1">
      <legend className="pb-1 text-sm font-semibold text-soft">{t('compare.policies')}</legend>
      {routingPolicies.map((policy) => (
        <label key={policy} className="flex items-center gap-2 text-sm has-disabled:text-soft">
          <input
            type="checkbox"
            disabled={missing[policy] !== null}
            checked={missing[policy] === null && choice.policies.includes(policy)}
            onChange={({ target }) => toggle(policy, target.checked)}
            className="size-4 accent-ink"
          />
          {t(`task.policy.${policy}`)}
        </label>
      ))}
      {needs.map((place) => (
        <p key={place} className="flex w-full flex-wrap items-center gap-2 pt-1 text-sm text-soft">
          {t(`compare.needs.${place}`)}
          <Button size="small" onClick={() => navigate({ type: 'models' })}>
            {t('compare.toModels')}
          </Button>
        </p>
      ))}
    </fieldset>
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
      <CloudModel choice={choice} onChange={onChange} />
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

/** The cloud model: one that is ready now, or the one in the settings. */
function CloudModel({ choice, onChange }: ChoiceProps) {
  const usual = useUsualCloud();
  const models = (useModels().data ?? []).filter(({ where, state }) => where === 'cloud' && state === 'ready');
  const model = typeof usual === 'string' ? usual : t('project.none');
  return (
    <Field label={t('compare.cloud')} {...(models.length === 0 ? { hint: t('compare.cloudNone') } : {})}>
      {(ids) => (
        <Select
          {...ids}
          value={choice.cloud}

          onChange={({ target }) => onChange({ ...choice, cloud: target.value })}
        >
          <option value="">{t('compare.cloudUsual', { model })}</option>
          {models.map(({ id }) => (
            <option key={id} value={id}>
              {seenName(id)}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

/** Creates the comparison and starts its runs. Returns its id. Rejects with a typed failure of the core. */
async function begin(client: CoreClient, task: string, choice: Choice): Promise<string> {
  const { check, repeat, maxUsd, cloud } = choice;
  const { id } = await client.comparisons.create({
    task,
    projectPath: choice.project,
    policies: [...choice.policies],
    repeat: Number(repeat),
    ...(check.trim() === '' ? {} : { check: check.trim() }),
    ...(cloud === '' ? {} : { cloud }),
    ...(maxUsd === '' ? {} : { maxUsd: Number(maxUsd) }),
  });
  await client.comparisons.start({ id });
  return id;
}
