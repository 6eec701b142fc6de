import { useState } from 'react';
import { seenName } from '@shared/text/seen-text.ts';
import { runStatusOf } from '@shared/session/session-state.ts';
import type { ChildState } from '@shared/session/agent-tree.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import { money, sessionTitle } from '../../lib/text/format.ts';
import type { TextKey } from '../../lib/text/translate.ts';
import { plural, t } from '../../lib/text/translate.ts';
import { useNavigate } from '../../lib/window/navigation.ts';
import { Fold } from '../../ui/layout/fold.tsx';
import { Icon } from '../../ui/layout/icon.tsx';

interface AgentTreeProps {
  readonly agents: readonly ChildState[];
  /** For a child's session: the session that started it. */
  readonly parent: NonNullable<SessionState['tree']>['by'];
}

/** The child agents of this session with links to their sessions, and a link back to the parent. */
export default function AgentTree({ agents, parent }: AgentTreeProps) {
  const navigate = useNavigate();
  const open = (sessionId: string): void => navigate({ type: 'session', sessionId });
  const working = agents.filter(({ endedAt }) => endedAt === null).length;
  // Opens when the first child begins, then stays as the user leaves it.
  const [isOpen] = useState(working > 0);
  const label = [plural('agents.count', agents.length), ...(working === 0 ? [] : [plural('agents.working', working)])];
  return (
    <>
      {parent !== undefined && (
        <button
          type="button"
          className="mt-1 flex w-fit items-center gap-1.5 rounded text-sm text-soft hover:text-ink"
          onClick={() => open(parent.sessionId)}
        >
          <Icon name="chevron" className="size-3 rotate-180" />
          {t('agents.parent', { name: seenName(parent.name) })}
        </button>
      )}
      {agents.length > 0 && (
        <Fold label={label.join(' · ')} isOpen={isOpen} className="mt-1 text-sm">
          <ul aria-label={t('agents.label')} className="mt-1 max-h-48 overflow-y-auto border-l border-line pl-2">
            {agents.map((agent) => (
              <li key={agent.sessionId}>
                <AgentRow agent={agent} onOpen={open} />
              </li>
            ))}
          </ul>
        </Fold>
      )}
    </>
  );
}

interface AgentRowProps {
  readonly agent: ChildState;
  readonly onOpen: (sessionId: string) => void;
}

function AgentRow({ agent, onOpen }: AgentRowProps) {
  const { sessionId, name, kind, task, changedFiles, costUsd } = agent;
  const facts = [
    stateText(agent),
    ...(changedFiles === 0 ? [] : [plural('agents.changed', changedFiles)]),
    ...(agent.endedAt === null ? [] : [money(costUsd)]),
  ];
  return (
    <button
      type="button"
      className="flex w-full min-w-0 items-baseline gap-2 rounded px-1.5 py-0.5 text-left text-sm hover:bg-hover"
      title={sessionTitle(task)}
      onClick={() => onOpen(sessionId)}
    >
      <span className="shrink-0 font-semibold">{seenName(kind === null ? name : `${name} (${kind})`)}</span>
      <span className="min-w-0 flex-1 truncate text-soft">{sessionTitle(task)}</span>
      <span className="shrink-0 text-soft">{facts.join(' · ')}</span>
    </button>
  );
}

function stateText({ endedAt, reason }: ChildState): string {
  if (endedAt === null) return t('agents.state.working');
  if (reason === null) return t('agents.state.ended');
  const status = reason === 'crashed' ? 'interrupted' : runStatusOf(reason);
  const key: TextKey = `agents.state.${status}`;
  return t(key);
}
