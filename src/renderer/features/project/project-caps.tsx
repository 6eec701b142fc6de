import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { ProjectCap } from '@shared/project-choices.ts';
import { useClient } from '../../lib/core-context.ts';
import { money } from '../../lib/format.ts';
import { t } from '../../lib/texts.ts';
import { MoneyCap } from '../../ui/money-cap.tsx';
import { Group, controlClass } from '../../ui/settings-parts.tsx';
import type { ProjectHandle } from './use-project.ts';

const scopes = ['project', 'session', 'task', 'step'] as const;

/** How much money may be spent here, beside what was. */
export function ProjectCaps({ project }: { readonly project: ProjectHandle }) {
  const client = useClient();
  const { projectPath } = project;
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
      {scopes.map((scope) => (
        <Cap key={scope} scope={scope} project={project} />
      ))}
      <p className="text-sm text-soft">{t('project.caps.all')}</p>
      <MoneyCap scope="day" />
      <MoneyCap scope="month" />
    </Group>
  );
}

/** Saved when it is left or Enter is pressed; what is no amount is put back. */
function Cap({ scope, project }: { readonly scope: ProjectCap; readonly project: ProjectHandle }) {
  const { settings, isRefused, change } = project;
  const id = useId();
  const [typed, setTyped] = useState<string | null>(null);
  const own = settings.own.budget?.[scope];
  const usual = settings.usual.budget[scope];
  const save = (): void => {
    const text = typed?.trim();
    setTyped(null);
    if (text === undefined || text === String(own ?? '')) return;
    if (text === '') void change({ type: 'forget', names: [scope] });
    else if (Number(text) >= 0) void change({ type: 'choose', choices: { budget: { [scope]: Number(text) } } });
  };
  const placeholder =
    own === null
      ? t('project.cap.none')
      : t('project.asAll', { value: usual === null ? t('project.none') : money(usual) });
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-1">
      <label htmlFor={id}>{t(`project.cap.${scope}`)}</label>
      <input
        id={id}
        type="number"
        min={0}
        step="any"
        disabled={isRefused}
        placeholder={placeholder}
        value={typed ?? own ?? ''}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={save}
        onKeyDown={(event) => {
          if (event.key === 'Enter') save();
        }}
        className={`${controlClass} w-56 max-w-full text-right tabular-nums disabled:opacity-60`}
      />
    </div>
  );
}
