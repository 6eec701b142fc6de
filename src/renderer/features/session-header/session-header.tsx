import type { ReactNode } from 'react';
import { lazy, Suspense } from 'react';
import { usualPlace } from '@shared/session/session-state.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { folderText } from '../../lib/text/folder-text.ts';
import { folderName } from '../../lib/text/format.ts';
import { t } from '../../lib/text/translate.ts';
import { useProjectName } from '../../lib/window/use-projects.ts';
import { StepDots } from './step-dots.tsx';
import { SessionTitle } from './session-title.tsx';
import { useQuery } from '@tanstack/react-query';
import { allTags } from '@shared/session/session-filter.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { organizeSessions } from '../../lib/session/organize-sessions.ts';
import { TagEditor } from '../../ui/controls/tag-editor.tsx';

const AgentTree = lazy(() => import('./agent-tree.tsx'));

export type HeaderEdit = 'title' | 'tags';

interface SessionHeaderProps {
  readonly sessionId: string;
  readonly state: SessionState;
  /** The part that is being changed; null: none. */
  readonly edited: HeaderEdit | null;
  readonly onEdit: (edited: HeaderEdit | null) => void;
  readonly onPin: () => void;
  readonly onArchive: () => void;
  /** Reloads the list of sessions. */
  readonly onChanged: () => void;
  /** Whether a button covers its left end. */
  readonly hasMenuButton: boolean;
  readonly selectedStep: string | null;
  readonly onStep: (callId: string) => void;
  /** Buttons at its right end. */
  readonly children: ReactNode;
}

export function SessionHeader({
  sessionId,
  state,
  edited,
  onEdit,
  onPin,
  onArchive,
  onChanged,
  hasMenuButton,
  selectedStep,
  onStep,
  children,
}: SessionHeaderProps) {
  const { organized = usualPlace } = state;
  const project = useProjectName(state);
  const path = state.projectPath ?? state.workspace?.path ?? '';
  return (
    <header className={`shrink-0 border-b border-line py-2 pr-3 ${hasMenuButton ? 'pl-12' : 'pl-5'}`}>
      <div className="flex items-center gap-3">
        <SessionTitle
          sessionId={sessionId}
          title={state.title}
          place={{ short: placeText(state, project), whole: folderText(path) }}
          hasChanges={state.projectPath !== null && state.changes.length > 0}
          organized={organized}
          isRenaming={edited === 'title'}
          onRename={(isRenaming) => onEdit(isRenaming ? 'title' : null)}
          {...{ onPin, onArchive }}
          onTag={() => onEdit('tags')}
        />
        {children}
      </div>
      {edited === 'tags' && (
        <SessionTags {...{ sessionId, onChanged }} tags={organized.tags} onDone={() => onEdit(null)} />
      )}
      {(state.children !== undefined || state.tree?.by !== undefined) && (
        <Suspense fallback={null}>
          <AgentTree agents={state.children ?? []} parent={state.tree?.by} />
        </Suspense>
      )}
      <StepDots steps={state.steps} toolCalls={state.toolCalls} selectedId={selectedStep} onSelect={onStep} />
    </header>
  );
}

/** Where the session works or belongs, and the assistant that answered last. */
function placeText(state: SessionState, project: string | null): string {
  const assistant = state.turns.at(-1)?.assistant;
  const place = folderOf(state, project);
  return assistant === undefined ? place : `${place} · ${t('assistant.of', { name: assistant })}`;
}

function folderOf({ projectPath, workspace }: SessionState, project: string | null): string {
  const name = project === null ? null : seenName(project);
  if (workspace?.mode === 'scratch' || projectPath === null) return name ?? t('session.scratch');
  const place = name ?? folderName(projectPath);
  return workspace?.mode === 'copy' ? t('session.copyOf', { path: place }) : place;
}

interface SessionTagsProps {
  readonly sessionId: string;
  /** The session's own tags. */
  readonly tags: readonly string[];
  /** Reloads the list of sessions. */
  readonly onChanged: () => void;
  readonly onDone: () => void;
}

/** The tags of this session, and suggestions from the others. */
function SessionTags({ sessionId, tags, onChanged, onDone }: SessionTagsProps) {
  const client = useClient();
  const sessions = useQuery({
    queryKey: ['sessions', 'tags'],
    queryFn: ({ signal }) => client.sessions.list(undefined, { signal }),
    staleTime: 0,
  });
  const change = (wanted: Parameters<typeof organizeSessions>[2]): void =>
    void organizeSessions(client, [sessionId], wanted).finally(onChanged);
  return (
    <div className="max-w-md py-2">
      <TagEditor
        known={allTags(sessions.data ?? [])}
        all={tags}
        onAdd={(tag) => change({ addTags: [tag] })}
        onRemove={(tag) => change({ removeTags: [tag] })}
        onDone={onDone}
      />
    </div>
  );
}
