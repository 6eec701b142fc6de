import type { MoneyState } from '@shared/session-money.ts';
import type { SessionState, StepEnd, StepState } from '@shared/session-state.ts';
import { decodeSpeedOf, prefillSpeedOf } from '@shared/session-state.ts';
import { money as dollars, speed } from '../../lib/format.ts';

interface StatusBarProps {
  readonly state: SessionState;
  readonly money: MoneyState;
}

/** Always there: which model, how fast, what it cost, and where commands run. */
export function StatusBar({ state, money }: StatusBarProps) {
  const step = state.steps.findLast((candidate) => candidate.end !== null) ?? state.steps.at(-1);
  const cap = state.turns.at(-1)?.limits.maxUsd ?? null;
  return (
    <section className="status-bar" aria-label="Status">
      <span>{step?.model ?? 'no model called yet'}</span>
      {step?.end && <Speed step={step} end={step.end} />}
      <span>
        {spent(money)}
        {cap !== null && ` of ${dollars(cap)}`}
      </span>
      <SandboxTier state={state} />
    </section>
  );
}

function spent(money: MoneyState): string {
  const known = dollars(money.costUsd + money.children.costUsd);
  const unpriced = money.unpricedCalls + money.children.unpriced;
  return unpriced === 0 ? known : `${known} and ${unpriced} unpriced`;
}

function Speed({ step, end }: { readonly step: StepState; readonly end: StepEnd }) {
  const prefill = speed(prefillSpeedOf(end));
  const prompt = end.usage.freshInput + end.usage.cacheRead + end.usage.cacheWrite;
  const parts = [
    speed(decodeSpeedOf(end)),
    prefill === null ? null : `prefill ${prefill}`,
    prompt === 0 ? null : `cache kept ${Math.round((end.usage.cacheRead / prompt) * 100)} %`,
  ].filter((part) => part !== null);
  return <span title={`Step ${step.step}`}>{parts.join(' · ')}</span>;
}

const tierWords = { container: 'Container', os: 'OS sandbox', 'read-only': 'Read-only', memory: 'In memory' } as const;

function SandboxTier({ state: { sandbox } }: { readonly state: SessionState }) {
  if (sandbox === null) return <span>no sandbox yet</span>;
  return (
    <span title={sandbox.description} className={sandbox.lost === null ? undefined : 'mark-bad'}>
      {tierWords[sandbox.tier]}
      {sandbox.lost !== null && ` lost: ${sandbox.lost}`}
    </span>
  );
}
