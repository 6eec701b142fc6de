import type { SessionState, StepState, InstructionView } from '@shared/session/session-state.ts';
import { projectWordsStart } from '@shared/projects/project-keys.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import { bytes, tokens } from '../../../lib/text/format.ts';
import { stepLabel } from '../../../lib/session/step-label.ts';
import type { TextKey } from '../../../lib/text/translate.ts';
import { plural, t } from '../../../lib/text/translate.ts';
import { useDetail } from '../../../lib/session/use-log-detail.ts';
import { ModelName } from '../../../ui/figures/model-name.tsx';
import { useModels } from '../../../lib/models/use-local-model.ts';
import { Empty, Section } from '../../../ui/layout/facts.tsx';
import { ContextMemory } from './context-memory.tsx';
import { FencedParts } from './fenced-parts.tsx';
import { TrimmedParts } from './trimmed-parts.tsx';
import { useState } from 'react';
import { Button } from '../../../ui/controls/button.tsx';
import { InstructionFileNow } from '../../../ui/project/instruction-file.tsx';
import type { RequestDetail } from '@shared/contract/sessions-contract.ts';

interface ContextTabProps {
  readonly sessionId: string;
  readonly state: SessionState;
  readonly selectedStep: string | null;
}

/** What the model saw in a step: how full its context was, what was cached, and what it consisted of. */
export function ContextTab({ sessionId, state, selectedStep }: ContextTabProps) {
  const step = state.steps.find((one) => one.callId === selectedStep) ?? state.steps.at(-1);
  const brought = <ContextInstructions projectPath={state.projectPath} instructions={state.instructions} />;
  if (step === undefined) {
    return (
      <>
        {brought}
        <Empty action="message">{t('context.none')}</Empty>
      </>
    );
  }
  return (
    <>
      <p className="text-sm font-semibold">{t('route.step', { step: step.step, label: stepLabel(step) })}</p>
      <p className="text-xs text-soft wrap-anywhere">
        <ModelName id={step.model} />
      </p>
      <Window step={step} />
      <Parts sessionId={sessionId} step={step} />
      <TrimmedParts sessionId={sessionId} step={step} />
      {brought}
      <ContextMemory step={step} />
      <FencedParts sessionId={sessionId} step={step} />
    </>
  );
}

function Window({ step }: { readonly step: StepState }) {
  const models = useModels();
  const all = models.data?.find((model) => model.id === step.model)?.info?.contextTokens ?? null;
  const { end } = step;
  if (end === null)
    return step.promptTokens === null ? null : (
      <p className="mt-3 text-sm text-soft">{t('context.prompt', { count: tokens(step.promptTokens) })}</p>
    );
  const { cacheRead, freshInput, cacheWrite, output } = end.usage;
  const fresh = freshInput + cacheWrite;
  const used = cacheRead + fresh + output;
  const bars = [
    [t('context.kept'), cacheRead, 'bg-local'],
    [t('context.evaluated'), fresh, 'bg-ink'],
    [t('context.answer'), output, 'bg-line-strong'],
  ] as const;
  const total = Math.max(all ?? used, used, 1);
  return (
    <div className="mt-4 flex flex-col gap-3">
      <div className="flex h-2.5 overflow-hidden rounded-full bg-chosen" aria-hidden="true">
        {bars.map(([label, count, look]) => (
          <span key={label} className={look} style={{ width: `${(count / total) * 100}%` }} />
        ))}
      </div>
      <ul className="flex flex-col gap-1 text-sm">
        {bars.map(([label, count, look]) => (
          <Line key={label} look={look} label={label} count={count} />
        ))}
        {all !== null && <Line look="bg-chosen" label={t('context.free')} count={Math.max(0, all - used)} />}
      </ul>
      <p className="text-sm text-soft">
        {all === null ? t('context.unknownWindow') : t('context.of', { used: tokens(used), all: tokens(all) })}{' '}
        {end.evaluatedTokens !== null && t('context.evaluatedBy', { count: tokens(end.evaluatedTokens) })}
      </p>
    </div>
  );
}

function Line({ look, label, count }: { readonly look: string; readonly label: string; readonly count: number }) {
  return (
    <li className="flex items-center gap-2">
      <span aria-hidden="true" className={`size-2 rounded-full ${look}`} />
      <span className="flex-1 text-soft">{label}</span>
      <span className="tabular-nums">{tokens(count)}</span>
    </li>
  );
}

const roleTexts: Readonly<Record<string, TextKey>> = {
  system: 'context.role.system',
  own: 'context.role.own',
  user: 'context.role.user',
  assistant: 'context.role.assistant',
  tool: 'context.role.tool',
};

function Parts({ sessionId, step }: { readonly sessionId: string; readonly step: StepState }) {
  const load = useDetail(sessionId, step.callId, step.end === null ? 'running' : 'ended');
  if (load.type !== 'ready' || load.detail.request === null) return null;
  const parts = partsOf(load.detail.request);
  const total = Math.max(1, ...parts.map((part) => part.bytes));
  return (
    <Section title={t('context.parts')}>
      <ul className="flex flex-col gap-2 text-sm">
        {parts.map(({ label, bytes: count }) => (
          <li key={label}>
            <div className="flex justify-between gap-3">
              <span className="text-soft">{label}</span>
              <span className="tabular-nums">{bytes(count)}</span>
            </div>
            <div
              aria-hidden="true"
              className="mt-0.5 h-1 rounded-full bg-line-strong"
              style={{ width: `${(count / total) * 100}%` }}
            />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function partsOf({ messages, tools }: RequestDetail): readonly { readonly label: string; readonly bytes: number }[] {
  const byRole = new Map<string, number>();
  const encoder = new TextEncoder();
  for (const { role, text } of messages) {
    const at = role === 'system' ? text.indexOf(projectWordsStart) : -1;
    const [said, own] = at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at)];
    byRole.set(role, (byRole.get(role) ?? 0) + encoder.encode(said).length);
    if (own !== '') byRole.set('own', encoder.encode(own).length);
  }
  const toolBytes = tools.reduce((sum, tool) => sum + tool.bytes, 0);
  const roles = [...byRole].map(([role, count]) => {
    const key = roleTexts[role];
    return { label: key === undefined ? seenName(role) : t(key), bytes: count };
  });
  return tools.length === 0 ? roles : [...roles, { label: plural('context.tools', tools.length), bytes: toolBytes }];
}

interface ContextInstructionsProps {
  readonly projectPath: string | null;
  readonly instructions: InstructionView | null;
}

/** Whether the project's instructions were included, and the buttons to approve them or withdraw that. */
export function ContextInstructions({ projectPath, instructions }: ContextInstructionsProps) {
  const [isOpen, setIsOpen] = useState(false);
  if (instructions === null) return null;
  const { path, use, reason } = instructions;
  return (
    <Section title={t('context.instructions')}>
      <p className="flex justify-between gap-3 text-sm">
        <span className="font-mono text-xs wrap-anywhere">{seenName(path)}</span>
        <span className={`text-xs font-semibold ${use === 'used' ? 'text-good' : 'text-warn'}`}>
          {t(`context.instructions.${use}`)}
        </span>
      </p>
      <p className="text-sm text-soft wrap-anywhere">{seenWords(reason)}</p>
      {projectPath !== null && (
        <Button size="small" className="w-fit" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {t('context.instructions.show')}
        </Button>
      )}
      {isOpen && projectPath !== null && <InstructionFileNow projectPath={projectPath} path={path} />}
    </Section>
  );
}
