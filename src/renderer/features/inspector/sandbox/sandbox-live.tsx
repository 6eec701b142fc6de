import type { SandboxView } from '@shared/sandbox/sandbox-view.ts';
import { bytes } from '../../../lib/text/format.ts';
import { plural, t } from '../../../lib/text/translate.ts';
import { Section } from '../../../ui/layout/facts.tsx';

interface SandboxLiveProps {
  /** Null: not known yet. */
  readonly view: SandboxView | null;
  /** Number of processors that it may use; null when unknown. */
  readonly cpus: number | null;
}

/** What the container uses of the machine now. */
export function SandboxLive({ view, cpus }: SandboxLiveProps) {
  return (
    <Section title={t('sandbox.now')}>
      <Usage view={view} cpus={cpus} />
    </Section>
  );
}

function Usage({ view, cpus }: SandboxLiveProps) {
  if (view === null) return <p className="text-sm text-soft">{t('sandbox.looking')}</p>;
  if (view.state !== 'running') return <p className="text-sm text-soft">{t(`sandbox.state.${view.state}`)}</p>;
  const { usage } = view;
  if (usage === null) return <p className="text-sm text-soft">{t('sandbox.unmeasured')}</p>;
  const { cpuPercent, memoryBytes, memoryLimitBytes, processes } = usage;
  const memory =
    memoryBytes === null
      ? t('cost.notKnown')
      : memoryLimitBytes === null
        ? bytes(memoryBytes)
        : t('sandbox.memoryOf', { used: bytes(memoryBytes), all: bytes(memoryLimitBytes) });
  const cpu = cpuPercent === null ? t('sandbox.looking') : t('sandbox.percent', { percent: Math.round(cpuPercent) });
  return (
    <div className="flex flex-col gap-2" data-usage>
      <Bar label={t('sandbox.cpu')} text={cpu} value={cpuPercent ?? 0} most={100 * (cpus ?? 1)} />
      <Bar label={t('sandbox.memory')} text={memory} value={memoryBytes ?? 0} most={memoryLimitBytes ?? 0} />
      {processes !== null && <p className="text-sm text-soft">{plural('sandbox.processes', processes)}</p>}
    </div>
  );
}

interface BarProps {
  readonly label: string;
  readonly text: string;
  readonly value: number;
  /** 0: unknown. */
  readonly most: number;
}

function Bar({ label, text, value, most }: BarProps) {
  const percent = most === 0 ? 0 : Math.min(100, (value / most) * 100);
  return (
    <div className="text-sm">
      <div className="flex justify-between gap-3">
        <span className="text-soft">{label}</span>
        <span className="tabular-nums">{text}</span>
      </div>
      <div aria-hidden="true" className="mt-1 h-1.5 overflow-hidden rounded-full bg-chosen">
        <div
          className={`h-full rounded-full transition-[width] ${percent > 90 ? 'bg-bad' : 'bg-ink'}`}
          style={{ width: `${percent}%` }}
        />
      </div>
    </div>
  );
}
