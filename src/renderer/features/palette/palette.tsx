import { Command } from 'cmdk';
import { Dialog } from 'radix-ui';
import { useRef, useState } from 'react';
import type { Action } from '../../lib/input/actions.ts';
import { keysText } from '../../lib/input/actions.ts';
import { sessionTitle } from '../../lib/text/format.ts';
import { t } from '../../lib/text/translate.ts';
import type { ProjectNames } from '../../lib/window/use-projects.ts';
import { useProjectNames } from '../../lib/window/use-projects.ts';
import type { SessionSummary } from '@shared/contract/sessions-contract.ts';

interface PaletteProps {
  readonly actions: readonly Action[];
  readonly sessions: readonly SessionSummary[];
  readonly onSession: (sessionId: string) => void;
  readonly onClose: () => void;
}

const shownSessions = 50;

/** Finds every action and every session by a part of its name. */
export default function Palette({ actions, sessions, onSession, onClose }: PaletteProps) {
  // Closes before it runs the action. Otherwise the old focus would be restored after the action has set a new one.
  const chosen = useRef<(() => void) | null>(null);
  const [typed, setTyped] = useState('');
  const projectName = useProjectNames();
  const choose = (run: () => void): void => {
    chosen.current = run;
    onClose();
  };
  return (
    <Dialog.Root open onOpenChange={(isOpen) => (isOpen ? undefined : onClose())}>
      <Dialog.Portal>
        {/* The library's own overlay would add a style sheet, which the page's policy forbids. */}
        <div aria-hidden="true" className="fixed inset-0 z-40 bg-ink/20 dark:bg-paper/60" />
        <Dialog.Content
          aria-describedby={undefined}
          onCloseAutoFocus={(event) => {
            if (chosen.current === null) return;
            event.preventDefault();
            chosen.current();
          }}
          className="fixed top-[12vh] left-1/2 z-50 w-[min(36rem,calc(100vw-2rem))] -translate-x-1/2 overflow-hidden rounded-xl border border-line bg-raised shadow-float"
        >
          <Dialog.Title className="sr-only">{t('palette.label')}</Dialog.Title>
          <Command label={t('palette.label')} filter={fits} loop>
            <Command.Input
              value={typed}
              onValueChange={setTyped}
              placeholder={t('palette.placeholder')}
              className="h-12 w-full border-b border-line bg-transparent px-4 outline-none focus-visible:outline-none"
            />
            <Command.List
              label={t('palette.label')}
              className="max-h-[50vh] overflow-y-auto p-1.5 [&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:py-1.5 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-soft"
            >
              <Command.Empty className="px-3 py-6 text-center text-sm text-soft">{t('palette.none')}</Command.Empty>
              <Groups
                actions={actions}
                // Of thousands of sessions, only the first matches are rendered.
                sessions={sessions
                  .filter((session) => fits('', typed, wordsOf(session, projectName)))
                  .slice(0, shownSessions)}
                {...{ onSession, projectName }}
                choose={choose}
              />
            </Command.List>
          </Command>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

interface GroupsProps extends Pick<PaletteProps, 'actions' | 'sessions' | 'onSession'> {
  readonly choose: (run: () => void) => void;
  readonly projectName: ProjectNames;
}

function Groups({ actions, sessions, onSession, choose, projectName }: GroupsProps) {
  return (
    <>
      <Command.Group heading={t('palette.actions')}>
        {actions.map((action) => (
          <Command.Item
            key={action.id}
            value={action.id}
            keywords={[action.label]}
            onSelect={() => choose(action.run)}
            className={itemClass}
          >
            <span className="flex-1 truncate">{action.label}</span>
            {action.keys !== undefined && <kbd className="font-sans text-xs text-soft">{keysText(action.keys)}</kbd>}
          </Command.Item>
        ))}
      </Command.Group>
      {sessions.length > 0 && (
        <Command.Group heading={t('palette.sessions')}>
          {sessions.map((session) => (
            <Command.Item
              key={session.sessionId}
              value={session.sessionId}
              keywords={wordsOf(session, projectName)}
              onSelect={() => choose(() => onSession(session.sessionId))}
              className={itemClass}
            >
              <span className="flex-1 truncate">{sessionTitle(session.title)}</span>
              {session.project !== null && (
                <span className="max-w-1/2 truncate text-xs text-soft">{projectName(session.project)}</span>
              )}
            </Command.Item>
          ))}
        </Command.Group>
      )}
    </>
  );
}

/** The words that find a session. */
function wordsOf({ title, projectPath, project }: SessionSummary, projectName: ProjectNames): string[] {
  return [title, projectPath ?? '', project === null ? '' : projectName(project)];
}

/** Whether every typed word is somewhere in the name. */
function fits(_id: string, typed: string, keywords: readonly string[] = []): number {
  const name = keywords.join(' ').toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/u)
    .every((word) => name.includes(word))
    ? 1
    : 0;
}

const itemClass = 'flex h-9 cursor-pointer items-center gap-3 rounded-md px-2.5 text-sm data-[selected=true]:bg-chosen';
