import { useState } from 'react';
import type { InstructionView } from '@shared/session/session-state.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import { t } from '../../../lib/text/translate.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { Section } from '../../../ui/layout/facts.tsx';
import { InstructionFileNow } from '../../../ui/project/instruction-file.tsx';

interface ContextInstructionsProps {
  readonly projectPath: string | null;
  readonly instructions: InstructionView | null;
}

/** Whether the project's instructions were part of it, and the way to say yes to them or to take that back. */
export function ContextInstructions({ projectPath, instructions }: ContextInstructionsProps) {
  const [isOpen, setIsOpen] = useState(false);
  if (instructions === null) return null;
  const { path, use, reason } = instructions;
  return (
    <Section title={t('context.instructions')}>
      <p className="flex justify-between gap-3 text-sm">
        <span className="font-mono text-xs wrap-anywhere">{seenName(path)}</span>
        <span className={`text-xs font-medium ${use === 'used' ? 'text-good' : 'text-warn'}`}>
          {t(`context.instructions.${use}`)}
        </span>
      </p>
      <p className="text-xs text-soft wrap-anywhere">{seenWords(reason)}</p>
      {projectPath !== null && (
        <Button size="small" className="w-fit" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {t('context.instructions.show')}
        </Button>
      )}
      {isOpen && projectPath !== null && <InstructionFileNow projectPath={projectPath} path={path} />}
    </Section>
  );
}
