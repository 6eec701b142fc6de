import { useQueryClient } from '@tanstack/react-query';
import { workKinds } from '@shared/routing/work-kinds.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { fieldOf } from '@shared/unknown-value.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { announce } from '../../lib/notices/announce.ts';
import { t } from '../../lib/text/translate.ts';
import { useProjectNames } from '../../lib/window/use-projects.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Advanced } from '../../ui/controls/settings-parts.tsx';

/** The ways that were chosen for kinds of tasks, each with what removes it. `ways`: as the settings have them. */
export function KindWays({ ways }: { readonly ways: unknown }) {
  const client = useClient();
  const queries = useQueryClient();
  const projectName = useProjectNames();
  const projects = fieldOf(ways, 'projects');
  const places = [
    { project: null, key: ['kindWays', 'everywhere'], chosen: fieldOf(ways, 'everywhere') },
    ...Object.entries(typeof projects === 'object' && projects !== null ? projects : {}).map(
      ([project, chosen]: [string, unknown]) => ({ project, key: ['kindWays', 'projects', project], chosen }),
    ),
  ];
  const rows = places.flatMap(({ project, key, chosen }) =>
    workKinds.flatMap((kind) => {
      const way = fieldOf(chosen, kind);
      return way === undefined ? [] : [{ project, kind, key: [...key, kind], way: textOf(way) }];
    }),
  );
  const remove = async (key: string[]): Promise<void> => {
    try {
      await client.settings.unset({ key });
    } catch (error) {
      announce({ kind: 'error', text: failureText(error) });
    }
    await queries.invalidateQueries({ queryKey: ['settings'] });
  };
  return (
    <Advanced label={t('settings.kindWays')}>
      <p className="text-soft">{t(rows.length === 0 ? 'settings.kindWays.none' : 'settings.kindWays.text')}</p>
      <ul aria-label={t('settings.kindWays')} className="flex flex-col gap-1 empty:hidden">
        {rows.map(({ project, kind, key, way }) => {
          const place = project === null ? t('settings.kindWays.all') : projectName(project);
          const name = t('settings.kindWays.row', { kind: t(`workKind.${kind}`), place, way });
          return (
            <li key={key.join('\n')} className="flex items-start justify-between gap-4">
              <span className="min-w-0 pt-1 wrap-anywhere" title={project ?? undefined}>
                {name}
              </span>
              <Button
                size="small"
                aria-label={t('settings.kindWays.removeOne', { name })}
                onClick={() => void remove(key)}
              >
                {t('settings.kindWays.remove')}
              </Button>
            </li>
          );
        })}
      </ul>
    </Advanced>
  );
}

function textOf(way: unknown): string {
  const said = ['policy', 'local', 'cloud', 'effort', 'strategy'].flatMap((name) => {
    const value = fieldOf(way, name);
    if (typeof value !== 'string') return [];
    return [['effort', 'strategy'].includes(name) ? `${name}=${seenName(value)}` : seenName(value)];
  });
  return said.join(', ');
}
