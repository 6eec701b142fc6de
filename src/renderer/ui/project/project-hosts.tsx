import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { NetworkRules } from '@shared/safety/network-access.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { announce } from '../../lib/notices/announce.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { useIsCommandRefused } from '../../lib/connection/use-host-info.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { offerUndo } from '../../lib/notices/offer-undo.ts';
import { t } from '../../lib/text/translate.ts';
import { Button } from '../controls/button.tsx';
import { fieldOf } from '@shared/unknown-value.ts';

type Projects = NetworkRules['projects'];

/** The hosts that a project's commands may reach without asking. Each can be removed. */
export function ProjectHosts({ projectPath }: { readonly projectPath: string }) {
  const client = useClient();
  const queries = useQueryClient();
  const isRefused = useIsCommandRefused('settings.set');
  const rules = useQuery({
    queryKey: ['settings', 'network.projects'],
    queryFn: ({ signal }) => client.settings.get({ key: 'network.projects' }, { signal }),
  });
  const projects = projectsOf(rules.data);
  const hosts = projects[projectPath]?.allow ?? [];
  const save = async (next: Projects): Promise<void> => {
    await client.settings.set({ key: 'network.projects', value: next });
    await queries.invalidateQueries({ queryKey: ['settings'] });
  };
  const revoke = async (host: string): Promise<void> => {
    const own = projects[projectPath];
    if (own === undefined) return;
    const next = { ...projects, [projectPath]: { ...own, allow: own.allow.filter((one) => one !== host) } };
    try {
      await save(next);
      offerUndo(t('hosts.revoked', { host: seenName(host) }), () => save(projects));
    } catch (error) {
      announce({ kind: 'error', text: failureText(error) });
    }
  };
  return (
    <div className="flex flex-col gap-1.5">
      <p className="text-sm text-soft">{t('hosts.title')}</p>
      {hosts.length === 0 && <p className="text-sm text-soft">{t('hosts.none')}</p>}
      <ul className="flex flex-col gap-1 empty:hidden">
        {hosts.map((host) => (
          <li key={host} className="flex items-center gap-2">
            <span className="min-w-0 flex-1 font-mono text-xs wrap-anywhere">{seenName(host)}</span>
            {!isRefused && (
              <Button
                size="small"
                look="quiet"
                aria-label={t('hosts.revokeOne', { host })}
                onClick={() => void revoke(host)}
              >
                {t('hosts.revoke')}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** From the core's settings. Entries of another shape are left out. */
function projectsOf(value: unknown): Projects {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).map(([path, rules]) => [
      path,
      { deny: textsAt(rules, 'deny'), ask: textsAt(rules, 'ask'), allow: textsAt(rules, 'allow') },
    ]),
  );
}

function textsAt(value: unknown, key: string): string[] {
  const list: unknown = fieldOf(value, key);
  return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
}
