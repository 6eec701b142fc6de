import type { ReactNode } from 'react';
import type { SessionState } from '@shared/session/session-state.ts';
import { folderText } from '../../lib/text/folder-text.ts';
import { folderName } from '../../lib/text/format.ts';
import { t } from '../../lib/text/translate.ts';
import { StepDots } from './step-dots.tsx';
import { SessionTitle } from './session-title.tsx';

interface SessionHeaderProps {
  readonly sessionId: string;
  readonly state: SessionState;
  readonly isRenaming: boolean;
  readonly onRename: (isRenaming: boolean) => void;
  /** There is a button over its left end. */
  readonly hasMenuButton: boolean;
  readonly selectedStep: string | null;
  readonly onStep: (callId: string) => void;
  /** Buttons at its right end. */
  readonly children: ReactNode;
}

export function SessionHeader({
  sessionId,
  state,
  isRenaming,
  onRename,
  hasMenuButton,
  selectedStep,
  onStep,
  children,
}: SessionHeaderProps) {
  const path = state.projectPath ?? state.workspace?.path ?? '';
  return (
    <header className={`shrink-0 border-b border-line py-2 pr-3 ${hasMenuButton ? 'pl-12' : 'pl-5'}`}>
      <div className="flex items-center gap-3">
        <SessionTitle
          sessionId={sessionId}
          title={state.title}
          place={{ short: placeText(state), whole: folderText(path) }}
          isRenaming={isRenaming}
          onRename={onRename}
        />
        {children}
      </div>
      <StepDots steps={state.steps} toolCalls={state.toolCalls} selectedId={selectedStep} onSelect={onStep} />
    </header>
  );
}

function placeText({ projectPath, workspace }: SessionState): string {
  if (workspace?.mode === 'scratch' || projectPath === null) return t('session.scratch');
  if (workspace?.mode === 'copy') return t('session.copyOf', { path: folderName(projectPath) });
  return folderName(projectPath);
}
