import { useQuery } from '@tanstack/react-query';
import { useClient } from '../../lib/connection/core-context.ts';
import { money } from '../../lib/text/format.ts';
import { t } from '../../lib/text/translate.ts';
import { MoneyCap } from '../../ui/figures/money-cap.tsx';
import { Group } from '../../ui/controls/settings-parts.tsx';

/** How much money may be spent here, beside what was. */
export function ProjectCaps({ projectPath }: { readonly projectPath: string }) {
  const client = useClient();
  const costs = useQuery({
    queryKey: ['costs', 'project', projectPath],
    queryFn: ({ signal }) => client.costs({ by: 'day', project: projectPath }, { signal }),
  });
  const total = costs.data?.total ?? null;
  return (
    <Group title={t('project.caps')}>
      <p className="text-sm text-soft">{t('project.caps.text')}</p>
      {total !== null && (
        <p className="text-sm tabular-nums">
          {t(total.unpricedCalls > 0 ? 'project.caps.spentUnpriced' : 'project.caps.spent', {
            money: money(total.costUsd),
          })}
        </p>
      )}
      <MoneyCap scope="project" projectPath={projectPath} />
      <p className="text-sm text-soft">{t('project.caps.all')}</p>
      {(['step', 'task', 'session', 'day', 'month'] as const).map((scope) => (
        <MoneyCap key={scope} scope={scope} />
      ))}
    </Group>
  );
}
