import { namesApart, type ListedProject } from '@shared/projects/project-list.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { useIsCommandRefused } from '../../lib/connection/use-host-info.ts';
import { t } from '../../lib/text/translate.ts';
import { useFirstItems } from '../../lib/drawing/use-first-items.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Icon } from '../../ui/layout/icon.tsx';
import { ProjectSign } from '../../ui/project/project-sign.tsx';
import { MoreButton } from '../../ui/controls/more-button.tsx';

interface ProjectListProps {
  /** Latest first. */
  readonly projects: readonly ListedProject[];
  readonly selected: string | null;
  readonly onSelect: (project: string | null) => void;
  readonly onSettings: (project: string) => void;
  readonly onNew: () => void;
  /** The project whose settings are shown. */
  readonly current: string | null;
}

/** Number of projects above the sessions. More appear on request. */
const shownProjects = 6;

/** Project folders. A click shows only the sessions of one. */
export function ProjectList({ projects, selected, onSelect, onSettings, onNew, current }: ProjectListProps) {
  const canMake = !useIsCommandRefused('projects.create');
  const { shown, left, more } = useFirstItems(projects, shownProjects);
  // The selected project is always visible.
  const isShown = selected === null || shown.some(({ path }) => path === selected);
  const all = isShown ? shown : [...shown, ...projects.filter(({ path }) => path === selected)];
  const names = namesApart(projects);
  // A heading alone would look like a list that does not load.
  if (all.length === 0 && !canMake) return null;
  return (
    <section aria-label={t('sessions.projects')}>
      <div className="flex items-center justify-between">
        <h2 className="px-2 pt-1 pb-1 text-sm font-semibold text-soft">{t('sessions.projects')}</h2>
        {canMake && (
          <Button
            look="quiet"
            size="icon"
            className="size-7 text-soft"
            aria-label={t('project.new')}
            title={t('project.new')}
            onClick={onNew}
          >
            <Icon name="plus" className="size-3.5" />
          </Button>
        )}
      </div>
      <ul>
        {all.map(({ path, name, icon, folder }) => {
          const shownName = seenName(names.get(path) ?? name);
          return (
            <li key={path} className="group/project flex items-center gap-0.5">
              <button
                type="button"
                aria-pressed={path === selected}
                title={seenName(folder ?? name)}
                onClick={() => onSelect(path === selected ? null : path)}
                className="flex h-7 min-w-0 flex-1 items-center gap-2 rounded-md px-2 text-left text-sm hover:bg-chosen aria-pressed:bg-chosen aria-pressed:font-semibold"
              >
                <ProjectSign {...{ icon, name }} hasFolder={folder !== null} />
                <span className="truncate">{shownName}</span>
                {path === selected && <Icon name="close" className="ml-auto size-3 text-soft" />}
              </button>
              <Button
                look="quiet"
                size="icon"
                className="size-7 text-soft"
                aria-current={path === current ? 'page' : undefined}
                aria-label={t('project.settings', { name: shownName })}
                title={t('project.settings', { name: shownName })}
                onClick={() => onSettings(path)}
              >
                <Icon name="settings" className="size-3.5" />
              </Button>
            </li>
          );
        })}
      </ul>
      <MoreButton left={left} onMore={more} />
    </section>
  );
}
