import type { SessionConfigOption, SessionModeState } from '@agentclientprotocol/sdk';
import type { ModelEntry } from '@shared/contract/models-contract.ts';
import type { Policy } from '@shared/routing/routing.ts';
import { policySchema } from '@shared/routing/routing.ts';
import type { ChosenOptions } from '@shared/session/chosen-options.ts';
import type { RunOptions } from '@shared/session/run-options.ts';
import { runOptionsSchema } from '@shared/session/run-options.ts';
import { taskModes } from '@shared/text/task-mode.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { childAbort } from '../../lib/async/child-abort.ts';
import { sleep } from '../../lib/async/abort.ts';
import type { CoreClient } from '../../server/local-socket.ts';
import { usualModels } from '../text/require-models.ts';
import { usageError } from '../text/report-failure.ts';
import { orNoted } from '../../lib/log.ts';

/** What the user can choose in the editor for the messages of a session. */
export interface SessionChoices {
  readonly modes: () => SessionModeState;
  readonly options: () => SessionConfigOption[];
  /** Throws a usage error for an invalid choice, and then changes nothing. */
  readonly choose: (id: string, value: string) => void;
  readonly runOptions: () => RunOptions;
}

interface Choice {
  readonly id: 'mode' | 'policy' | 'local' | 'cloud';
  readonly name: string;
  readonly description: string;
  readonly category: string;
  readonly values: readonly { readonly value: string; readonly name: string; readonly description?: string }[];
}

const modeTexts = {
  auto: { name: 'Auto', description: 'Taken from your message' },
  ask: { name: 'Ask', description: 'Answers, no file changes' },
  plan: { name: 'Plan', description: 'A plan, no file changes' },
  work: { name: 'Work', description: 'Changes files where the task asks for it' },
} as const;

const policyNames: Readonly<Record<Policy, string>> = {
  local: 'Local models only',
  hybrid: 'Local and cloud',
  cloud: 'Cloud models only',
  economy: 'Economy',
  balanced: 'Balanced',
  quality: 'Quality',
};

const mode: Choice = {
  id: 'mode',
  name: 'Mode',
  description: 'What the next message is taken for.',
  category: 'mode',
  values: (['auto', ...taskModes] as const).map((value) => ({ value, ...modeTexts[value] })),
};

const policy: Choice = {
  id: 'policy',
  name: 'Where steps run',
  description: 'On this machine, in the cloud, or on whichever fits a step.',
  category: '_policy',
  values: policySchema.options.map((value) => ({ value, name: policyNames[value] })),
};

/** Longest wait for slow services. After that the editor gets only the models of the settings. */
const listMs = 2_000;

export async function createSessionChoices(
  core: CoreClient,
  projectPath: string | null,
  { signal, kept = {} }: { readonly signal: AbortSignal; readonly kept?: ChosenOptions },
): Promise<SessionChoices> {
  const set = await usualModels(core, projectPath === null ? {} : { projectPath });
  const { policy: where = set.policy, local = set.local, cloud = set.cloud } = kept;
  const listed = await listedModels(core, signal);
  const choices = choicesFor({ local, cloud }, listed ?? []);
  const current: Record<Choice['id'], string> = {
    mode: kept.mode ?? 'auto',
    policy: where ?? 'local',
    local: local ?? '',
    cloud: cloud ?? choices.find(({ id }) => id === 'cloud')?.values[0]?.value ?? '',
  };
  const chosen = new Set<Choice['id']>((['policy', 'local', 'cloud'] as const).filter((id) => kept[id] !== undefined));
  return {
    modes: () => ({
      currentModeId: current.mode,
      availableModes: mode.values.map(({ value, ...one }) => ({ id: value, ...one })),
    }),
    options: () =>
      choices.map(({ id, name, description, category, values }) => ({
        id,
        name,
        description,
        category,
        type: 'select',
        currentValue: current[id],
        options: values.map((one) => ({ ...one })),
      })),
    choose: (id, value) => {
      const choice = choices.find((one) => one.id === id);
      if (choice === undefined) throw usageError(`There is nothing to choose with the name ${seenName(id)}.`);
      if (!choice.values.some((one) => one.value === value))
        throw usageError(
          `${choice.name} does not take "${seenName(value)}".`,
          `Choose one of: ${choice.values.map((one) => seenName(one.value)).join(', ')}`,
        );
      current[choice.id] = value;
      chosen.add(choice.id);
    },
    // Without a choice here the settings count, even if they change later.
    runOptions: () => {
      const own = (['policy', 'local', 'cloud'] as const).filter((id) => chosen.has(id));
      return runOptionsSchema.parse({
        ...kept,
        ...Object.fromEntries(own.map((id) => [id, current[id]])),
        mode: current.mode === 'auto' ? undefined : current.mode,
        interactive: true,
        atCap: 'ask',
      });
    },
  };
}

function choicesFor(
  usual: { readonly local: string | null; readonly cloud: string | null },
  listed: readonly ModelEntry[],
): readonly Choice[] {
  const modelsOf = (where: 'local' | 'cloud', usualId: string | null): Choice['values'] => {
    const ready = listed.filter((one) => one.where === where && one.state === 'ready');
    const missing = usualId === null || ready.some(({ id }) => id === usualId) ? [] : [{ id: usualId, label: usualId }];
    return [...missing, ...ready].map(({ id, label }) => ({ value: id, name: seenName(label) }));
  };
  const clouds = modelsOf('cloud', usual.cloud);
  return [
    mode,
    policy,
    {
      id: 'local',
      name: 'Local model',
      description: 'For steps on this machine.',
      category: 'model',
      values: modelsOf('local', usual.local),
    },
    ...(clouds.length === 0
      ? []
      : [
          {
            id: 'cloud' as const,
            name: 'Cloud model',
            description: 'For steps in the cloud.',
            category: 'model',
            values: clouds,
          },
        ]),
  ];
}

/** Null: there was no answer in time. */
async function listedModels(core: CoreClient, signal: AbortSignal): Promise<readonly ModelEntry[] | null> {
  const asking = childAbort(signal);
  const late = sleep(listMs, asking.signal).then(() => null);
  try {
    return await Promise.race([
      core.models.list(undefined, { signal: asking.signal }).catch(orNoted('acp: the models were not listed', null)),
      late,
    ]);
  } finally {
    asking.release();
    asking.abort();
    late.catch(() => undefined);
  }
}
