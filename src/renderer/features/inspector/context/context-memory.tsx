import type { MemoryPlanAnswer } from '@shared/models/memory-estimate.ts';
import type { StepState } from '@shared/session/session-state.ts';
import { bytes, tokens } from '../../../lib/text/format.ts';
import { t } from '../../../lib/text/translate.ts';
import { useModels } from '../../../lib/models/use-local-model.ts';
import { useMemoryPlan } from '../../../lib/models/use-memory-plan.ts';
import { Facts, Section } from '../../../ui/layout/facts.tsx';

/** The memory of a step's local model, and the context that was requested and granted. */
export function ContextMemory({ step }: { readonly step: StepState }) {
  const models = useModels();
  // The context that the model is loaded with, which is less than this machine could hold.
  const context = models.data?.find(({ id }) => id === step.model)?.info?.contextTokens ?? null;
  const plan = useMemoryPlan(step.where === 'local' && context !== null ? step.model : null, context);
  // A server's model or a scripted one has no file with a readable header.
  if (plan.data === undefined || plan.data.totalBytes === null) return null;
  const { asked, granted } = plan.data;
  const evaluated = step.end?.evaluatedTokens ?? null;
  return (
    <Section title={t('context.memory')}>
      <MemoryBar plan={plan.data} />
      <Facts
        facts={[
          [t('context.asked'), asked === null ? t('context.askedNothing') : tokens(asked)],
          [t('context.granted'), tokens(granted.context)],
          [t('context.evaluatedNow'), evaluated === null ? null : tokens(evaluated)],
        ]}
      />
      <p className="text-sm text-soft">{granted.reason}</p>
    </Section>
  );
}

function MemoryBar({ plan }: { readonly plan: MemoryPlanAnswer }) {
  const { weightsBytes, contextBytes, computeBytes, devices, host, granted } = plan;
  const isOnCards = granted.placement !== 'host' && devices.length > 0;
  const free = isOnCards ? devices.reduce((sum, device) => sum + device.freeBytes, 0) : host.freeBytes;
  const used = (weightsBytes ?? 0) + (contextBytes ?? 0) + (computeBytes ?? 0);
  const bars = [
    [t('context.weights'), weightsBytes ?? 0, 'bg-ink'],
    [t('context.kv'), contextBytes ?? 0, 'bg-local'],
    [t('context.compute'), computeBytes ?? 0, 'bg-line-strong'],
    [t('context.freeMemory'), Math.max(0, free - used), 'bg-chosen'],
  ] as const;
  const total = Math.max(
    1,
    bars.reduce((sum, [, count]) => sum + count, 0),
  );
  return (
    <>
      <p className="text-sm text-soft">
        {isOnCards ? devices.map((device) => device.name).join(', ') : t('context.host')}
      </p>
      <div aria-hidden="true" className="flex h-2.5 overflow-hidden rounded-full">
        {bars.map(([label, count, look]) => (
          <span key={label} className={look} style={{ width: `${(count / total) * 100}%` }} />
        ))}
      </div>
      <ul className="flex flex-col gap-1 text-sm">
        {bars.map(([label, count, look]) => (
          <li key={label} className="flex items-center gap-2">
            <span aria-hidden="true" className={`size-2 rounded-full ${look}`} />
            <span className="flex-1 text-soft">{label}</span>
            <span className="tabular-nums">{bytes(count)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
