import { useQuery } from '@tanstack/react-query';
import type { Way } from '@shared/comparisons/way.ts';
import { wayName } from '@shared/comparisons/way-name.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { useAssistants } from '../../lib/input/use-assistants.ts';
import type { ModelPick, UsualModels } from '../../lib/models/model-options.ts';
import { effortOfPick } from '../../lib/models/session-choice.ts';
import { useModels } from '../../lib/models/use-local-model.ts';
import { useUsualModels } from '../../lib/models/use-model-options.ts';
import { t } from '../../lib/text/translate.ts';
import { useNavigate } from '../../lib/window/navigation.ts';
import { AssistantChoice } from '../../ui/controls/assistant-choice.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { IconButton } from '../../ui/controls/icon-button.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { Icon } from '../../ui/layout/icon.tsx';
import { ModelPicker } from '../../ui/model-picker/model-picker.tsx';

/** `planned`: a cloud model plans, and a local one does the work. */
const strategies = ['auto', 'loop', 'recipe', 'planned'] as const;

/** A way as it is chosen here. */
export interface DraftWay {
  readonly pick: ModelPick;
  readonly strategy: (typeof strategies)[number];
  readonly assistant: string | null;
}

const draftOf = (policy: 'local' | 'hybrid' | 'cloud'): DraftWay => ({
  pick: { policy },
  strategy: 'auto',
  assistant: null,
});

interface WaysFieldProps {
  readonly ways: readonly DraftWay[];
  /** The project whose models apply where none is picked. */
  readonly projectPath: string;
  readonly missing: Missing;
  readonly onChange: (ways: readonly DraftWay[]) => void;
}

/** What is missing for a way to run now; null when nothing is. */
type Missing = (way: DraftWay) => 'local' | 'cloud' | null;

/** The ways to begin with: those that can run now. */
export function usualWays(missing: Missing): readonly DraftWay[] {
  const able = (['local', 'hybrid', 'cloud'] as const).map(draftOf).filter((way) => missing(way) === null);
  return able.length === 0 ? [draftOf('local')] : able;
}

/** The way that is sent. A choice that follows the settings is written out, so that later settings do not change it. */
export function wayOfDraft({ pick, strategy, assistant }: DraftWay, usual: UsualModels | undefined): Way {
  const { policy, local, cloud } = pick;
  const effort = effortOfPick(pick);
  return {
    policy: policy ?? usual?.policy ?? 'local',
    ...(local === undefined ? {} : { local }),
    ...(cloud === undefined ? {} : { cloud }),
    ...(effort === undefined ? {} : { effort }),
    ...(strategy === 'auto' || strategy === 'planned' ? {} : { strategy }),
    ...(strategy === 'planned' ? { plan: 'cloud' as const } : {}),
    ...(assistant === null ? {} : { assistant }),
  };
}

/** An unknown state does not count as missing. A model in no list may still work. */
export function useMissing(projectPath: string): Missing {
  const models = useModels().data;
  const usual = useUsualModels(projectPath === '' ? null : projectPath);
  const client = useClient();
  const keys = useQuery({ queryKey: ['keys'], queryFn: ({ signal }) => client.keys.list(undefined, { signal }) }).data;
  return (draft) => {
    if (models === undefined || usual === undefined) return null;
    const way = wayOfDraft(draft, usual);
    const isReady = (id: string | null): boolean => {
      if (id === null || id === '') return false;
      const key = keys?.keys.find(({ provider }) => provider === id.split('/')[0]);
      const lacksKey = key !== undefined && key.source === null && key.variable !== null;
      const model = models.find((one) => one.id === id);
      return (model?.state ?? 'ready') === 'ready' && !(model?.where === 'cloud' && lacksKey);
    };
    if (way.policy !== 'cloud' && !isReady(way.local ?? usual.local)) return 'local';
    return way.policy !== 'local' && !isReady(way.cloud ?? usual.cloud) ? 'cloud' : null;
  };
}

/** The ways to compare, each with the picker of a message. */
export function WaysField({ ways, projectPath, missing, onChange }: WaysFieldProps) {
  const navigate = useNavigate();
  const usual = useUsualModels(projectPath === '' ? null : projectPath);
  const names = ways.map((way) => wayName(wayOfDraft(way, usual)));
  const put = (index: number, change: Partial<DraftWay>): void =>
    onChange(ways.map((way, at) => (at === index ? { ...way, ...change } : way)));
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="pb-1 text-sm font-semibold text-soft">{t('compare.ways')}</legend>
      <ul className="flex flex-col gap-2">
        {ways.map((way, index) => {
          const lack = missing(way);
          const isTwice = names.indexOf(names[index] ?? '') < index;
          return (
            <li
              key={`${index}`}
              aria-label={t('compare.way', { number: index + 1 })}
              className="flex flex-wrap items-center gap-x-2 gap-y-1 rounded-lg border border-line px-2.5 py-1.5"
            >
              <ModelPicker
                pick={way.pick}
                onPick={(pick) => put(index, { pick })}
                projectPath={projectPath === '' ? null : projectPath}
              />
              <WayAssistant way={way} onChange={(assistant) => put(index, { assistant })} />
              <Select
                look="small"
                className="ml-auto w-40"
                aria-label={t('compare.strategy')}
                value={way.strategy}
                onChange={({ target }) =>
                  put(index, { strategy: strategies.find((one) => one === target.value) ?? 'auto' })
                }
              >
                {strategies.map((one) => (
                  <option key={one} value={one}>
                    {t(`compare.strategy.${one}`)}
                  </option>
                ))}
              </Select>
              <IconButton
                icon="close"
                label={t('compare.removeWay', { number: index + 1 })}
                disabled={ways.length === 1}
                onClick={() => onChange(ways.filter((_, at) => at !== index))}
              />
              {lack !== null && (
                <p className="flex w-full flex-wrap items-center gap-2 text-sm text-warn">
                  {t(`compare.needs.${lack}`)}
                  <Button size="small" onClick={() => navigate({ type: 'models' })}>
                    {t('compare.toModels')}
                  </Button>
                </p>
              )}
              {isTwice && <p className="w-full text-sm text-soft">{t('compare.twice')}</p>}
            </li>
          );
        })}
      </ul>
      <Button
        size="small"
        className="self-start"
        disabled={ways.length >= 12}
        onClick={() => onChange([...ways, draftOf('local')])}
      >
        <Icon name="plus" /> {t('compare.addWay')}
      </Button>
    </fieldset>
  );
}

function WayAssistant({
  way: { pick, assistant: name },
  onChange,
}: {
  readonly way: DraftWay;
  readonly onChange: (name: string | null) => void;
}) {
  const { assistants, assistant, choose } = useAssistants({ pick, assistant: name }, onChange);
  return <AssistantChoice assistants={assistants} chosen={assistant} onChange={choose} />;
}
