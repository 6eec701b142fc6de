import { useState } from 'react';
import { groupByDay } from '../../lib/text/day-groups.ts';
import { clock, timeOfDay } from '../../lib/text/format.ts';
import { useFirstItems } from '../../lib/drawing/use-first-items.ts';
import { useProjects } from '../../lib/window/use-projects.ts';
import { t } from '../../lib/text/translate.ts';
import type { SessionsLoad } from '../../lib/session/use-sessions.ts';
import type { View } from '../../lib/window/use-view.ts';
import { useSearch } from '../../lib/session/use-session-search.ts';
import { useStableCallback } from '../../lib/drawing/use-stable-callback.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Icon } from '../../ui/layout/icon.tsx';
import type { IconName } from '../../ui/layout/icon.tsx';
import { MoreButton } from '../../ui/controls/more-button.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { ProjectList } from './project-list.tsx';
import { SearchHits } from './search-hits.tsx';
import { SessionItem } from './session-item.tsx';
import type { SessionSummary } from '@shared/contract/sessions-contract.ts';

interface SessionListProps {
  readonly load: SessionsLoad;
  readonly view: View;
  readonly onShow: (view: View) => void;
  readonly onPalette: () => void;
  /** What is searched, and how to change that. */
  readonly search: readonly [string, (text: string) => void];
}

const views = [
  { type: 'models', icon: 'model', label: 'sessions.models' },
  { type: 'compare', icon: 'columns', label: 'compare.title' },
  { type: 'costs', icon: 'coins', label: 'sessions.costs' },
  { type: 'bin', icon: 'bin', label: 'bin.title' },
  { type: 'settings', icon: 'settings', label: 'sessions.settings' },
] as const;

/** The side of the window: projects, sessions by day, and the ways to the other views. */
export function SessionList({ load, view, search: [text, setText], onShow, onPalette }: SessionListProps) {
  const sessions = load.type === 'ready' ? load.sessions : [];
  const [project, setProject] = useState<string | null>(null);
  const projects = useProjects(sessions);
  const wanted = text.trim().toLowerCase();
  const isKnown = project === null || projects.includes(project);
  const search = useSearch(text);
  const shownProjects = projects.filter((path) => path === project || path.toLowerCase().includes(wanted));
  const shown = sessions.filter((session) => fits(session, wanted, isKnown ? project : null));
  return (
    <nav className="flex h-full min-h-0 flex-col" aria-label={t('sessions.label')}>
      <div className="flex flex-col gap-2 p-3">
        <Button
          look="plain"
          className="w-full justify-start!"
          aria-current={view.type === 'new' ? 'page' : undefined}
          onClick={() => onShow({ type: 'new' })}
        >
          <Icon name="plus" /> {t('sessions.new')}
        </Button>
        <div className="relative">
          <Icon name="search" className="absolute inset-y-0 left-2.5 my-auto size-3.5 text-soft" />
          <input
            id="search-sessions"
            type="search"
            aria-label={t('sessions.filter')}
            placeholder={t('sessions.filter')}
            value={text}
            onChange={(event) => setText(event.target.value)}
            className="h-8 w-full rounded-md border border-transparent bg-chosen pr-2 pl-8 text-sm"
          />
        </div>
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto px-2 pb-3">
        {shownProjects.length > 0 && (
          <ProjectList
            projects={shownProjects}
            selected={isKnown ? project : null}
            onSelect={setProject}
            onSettings={(path) => onShow({ type: 'project', path })}
            current={view.type === 'project' ? view.path : null}
          />
        )}
        <Listing load={load} shown={shown} text={text} view={view} onShow={onShow} />
        <SearchHits
          load={search}
          project={isKnown ? project : null}
          onShow={({ sessionId, ref, seq }) =>
            onShow({ type: 'session', sessionId, ...(ref === null ? {} : { at: { ref, seq } }) })
          }
        />
      </div>
      <OtherViews view={view} onShow={onShow} onPalette={onPalette} />
    </nav>
  );
}

function OtherViews({ view, onShow, onPalette }: Pick<SessionListProps, 'view' | 'onShow' | 'onPalette'>) {
  return (
    <div className="flex flex-col border-t border-line p-2">
      {views.map(({ type, icon, label }) => (
        <SideLink
          key={type}
          icon={icon}
          label={t(label)}
          isCurrent={view.type === type}
          onClick={() => onShow({ type })}
        />
      ))}
      <SideLink icon="command" label={t('palette.open')} isCurrent={false} onClick={onPalette} />
    </div>
  );
}

/** So many sessions are drawn at first, and with each click below them. */
const step = 100;

interface ListingProps extends Pick<SessionListProps, 'load' | 'view' | 'onShow'> {
  readonly shown: readonly SessionSummary[];
  readonly text: string;
}

function Listing({ load, shown: all, text, view, onShow }: ListingProps) {
  const { shown, left, more } = useFirstItems(all, step);
  const select = useStableCallback((sessionId: string) => onShow({ type: 'session', sessionId }));
  if (load.type === 'loading') return <p className="px-2 text-soft">{t('sessions.loading')}</p>;
  if (load.type === 'failed') {
    return <Problem text={`${t('sessions.failed')} ${load.text}`} />;
  }
  if (load.sessions.length === 0) return <p className="px-2 text-soft">{t('sessions.none')}</p>;
  if (shown.length === 0) return <p className="px-2 text-soft">{t('sessions.noMatch', { text })}</p>;
  const groups = groupByDay(shown, load.readAt).map(({ key, label, items }) => (
    <section key={key} aria-label={'key' in label ? t(label.key) : label.month}>
      <h2 className="px-2 pt-3 pb-1 text-sm font-semibold text-soft">{'key' in label ? t(label.key) : label.month}</h2>
      <ul>
        {items.map((session) => (
          <SessionItem
            key={session.sessionId}
            session={session}
            isSelected={view.type === 'session' && view.sessionId === session.sessionId}
            time={key === 'sessions.yesterday' ? timeOfDay(session.updatedAt) : clock(session.updatedAt, load.readAt)}
            onSelect={select}
          />
        ))}
      </ul>
    </section>
  ));
  return (
    <>
      {groups}
      <MoreButton left={left} onMore={more} />
    </>
  );
}

interface SideLinkProps {
  readonly icon: IconName;
  readonly label: string;
  readonly isCurrent: boolean;
  readonly onClick: () => void;
}

function SideLink({ icon, label, isCurrent, onClick }: SideLinkProps) {
  return (
    <button
      type="button"
      aria-current={isCurrent ? 'page' : undefined}
      onClick={onClick}
      className="flex h-8 items-center gap-2 rounded-md px-2 text-sm text-soft hover:bg-chosen hover:text-ink aria-[current=page]:bg-chosen aria-[current=page]:text-ink"
    >
      <Icon name={icon} /> {label}
    </button>
  );
}

function fits(session: SessionSummary, wanted: string, project: string | null): boolean {
  if (project !== null && session.projectPath !== project) return false;
  return wanted === '' || `${session.title} ${session.projectPath ?? ''}`.toLowerCase().includes(wanted);
}
