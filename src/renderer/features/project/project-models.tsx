import { choosablePolicies } from '../../lib/models/routing-policies.ts';
import { t } from '../../lib/text/translate.ts';
import { useModels, useReachableModels } from '../../lib/models/use-local-model.ts';
import { Choice, Group } from '../../ui/controls/settings-parts.tsx';
import type { ProjectHandle } from './use-project.ts';

/** Where this project's steps run, and on which models. The first choice is always the general setting. */
export function ProjectModels({ project: { settings, isRefused, change } }: { readonly project: ProjectHandle }) {
  const models = useModels().data ?? [];
  const { own, usual } = settings;
  const labelOf = (id: string | null): string =>
    id === null ? t('project.none') : (models.find((model) => model.id === id)?.label ?? id);
  const asAll = (value: string) => ({ value: '', text: t('project.asAll', { value }) });
  const options = useReachableModels();
  const usualPolicy = choosablePolicies.find((policy) => policy === usual.policy);
  return (
    <Group title={t('project.models')}>
      <Choice
        label={t('settings.policy')}
        isDisabled={isRefused}
        value={own.policy ?? ''}
        options={[
          asAll(usualPolicy === undefined ? usual.policy : t(`settings.policy.${usualPolicy}`)),
          ...choosablePolicies.map((value) => ({ value, text: t(`settings.policy.${value}`) })),
        ]}
        onChange={(value) => {
          const policy = choosablePolicies.find((one) => one === value);
          void change(
            policy === undefined ? { type: 'forget', names: ['policy'] } : { type: 'choose', choices: { policy } },
          );
        }}
      />
      <Choice
        label={t('settings.local')}
        isDisabled={isRefused}
        value={own.local ?? ''}
        options={[asAll(labelOf(usual.local)), ...options('local')]}
        onChange={(local) =>
          void change(local === '' ? { type: 'forget', names: ['local'] } : { type: 'choose', choices: { local } })
        }
      />
      <Choice
        label={t('settings.cloud')}
        isDisabled={isRefused}
        value={own.cloud === null ? noCloud : (own.cloud ?? '')}
        options={[asAll(labelOf(usual.cloud)), { value: noCloud, text: t('settings.cloud.none') }, ...options('cloud')]}
        onChange={(cloud) =>
          void change(
            cloud === ''
              ? { type: 'forget', names: ['cloud'] }
              : { type: 'choose', choices: { cloud: cloud === noCloud ? null : cloud } },
          )
        }
      />
    </Group>
  );
}

/** A value that no model has as its id. */
const noCloud = ' ';
