import { Suspense, lazy, useState } from 'react';
import type { SandboxView } from '@shared/sandbox/sandbox-view.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import { sessionStatus } from '@shared/session/session-state.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import { bytes } from '../../../lib/text/format.ts';
import type { TextKey } from '../../../lib/text/translate.ts';
import { plural, t } from '../../../lib/text/translate.ts';
import { useIsCommandRefused } from '../../../lib/connection/use-host-info.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { Empty, Facts, Section } from '../../../ui/layout/facts.tsx';
import { Fold } from '../../../ui/layout/fold.tsx';
import { Icon } from '../../../ui/layout/icon.tsx';
import { Notice } from '../../../ui/notices/notice.tsx';
import { PreparePackages } from '../../../ui/project/prepare-packages.tsx';
import { SandboxLive } from './sandbox-live.tsx';
import { SandboxNetwork } from './sandbox-network.tsx';
import { useSandbox } from './use-sandbox.ts';

const TerminalPane = lazy(() => import('./terminal-pane.tsx'));

interface SandboxTabProps {
  readonly sessionId: string;
  readonly state: SessionState;
}

/** Where commands run, its limits, what they can reach, and a terminal for the user. */
export default function SandboxTab({ sessionId, state }: SandboxTabProps) {
  const { sandbox, workspace, projectPath } = state;
  const view = useSandbox(sessionId);
  if (sandbox === null) {
    return (
      <>
        <Empty action="message">{t('sandbox.none')}</Empty>
        <TerminalSection sessionId={sessionId} state={state} />
      </>
    );
  }
  const isContainer = sandbox.tier === 'container';
  const cpus = sandbox.limits['cpus'];
  // New network entries in the log come with calls and their approvals.
  const version = `${state.totals.toolCalls} ${state.totals.actions} ${state.approvals.length}`;
  return (
    <>
      <p className="flex items-center gap-2 text-sm font-semibold">
        <Icon name="shield" /> {t(`sandbox.tier.${sandbox.tier}`)}
      </p>
      <p className="mt-1 text-sm text-soft">{t(`sandbox.tierText.${sandbox.tier}`)}</p>
      {sandbox.lost !== null && (
        <Notice kind="warning" className="mt-3">
          {t('sandbox.lost', { reason: sandbox.lost })}
        </Notice>
      )}
      {isContainer && <SandboxLive view={view} cpus={typeof cpus === 'number' ? cpus : null} />}
      {isContainer && <TerminalSection sessionId={sessionId} state={state} />}
      <Section title={t('sandbox.workspace')}>
        <p className="font-mono text-xs wrap-anywhere">{workspace === null ? null : seenName(workspace.path)}</p>
        {sandbox.image !== null && (
          <p className="font-mono text-xs text-soft wrap-anywhere">
            {t('sandbox.image')} {seenName(sandbox.image)}
          </p>
        )}
        <p className="text-sm wrap-anywhere">{seenWords(sandbox.description)}</p>
      </Section>
      {Object.keys(sandbox.limits).length > 0 && (
        <Section title={t('sandbox.limits')}>
          <Facts facts={Object.entries(sandbox.limits).map(limitFact)} />
        </Section>
      )}
      {isContainer && view?.state === 'running' && <Protected view={view} />}
      {isContainer && <SandboxNetwork sessionId={sessionId} projectPath={projectPath} version={version} />}
      {projectPath !== null && (
        <Section title={t('packages.heading')}>
          <PreparePackages projectPath={projectPath} />
        </Section>
      )}
    </>
  );
}

/** The user's own shell. It closes with the panel. */
function TerminalSection({ sessionId, state }: SandboxTabProps) {
  const [isOpen, setIsOpen] = useState(false);
  const [isLarge, setIsLarge] = useState(false);
  const isRefused = useIsCommandRefused('sandboxes.terminal');
  const isRunning = sessionStatus(state) === 'running';
  if (isRefused) return null;
  if (!isOpen) {
    return (
      <Section title={t('terminal.heading')}>
        <Button size="small" className="w-fit" disabled={isRunning} onClick={() => setIsOpen(true)}>
          {t('terminal.open')}
        </Button>
        <p className="text-sm text-soft">{t(isRunning ? 'terminal.busy' : 'terminal.text')}</p>
      </Section>
    );
  }
  const place = isLarge
    ? 'fixed inset-4 z-40 flex flex-col gap-2 rounded-xl border border-line bg-paper p-4 shadow-float'
    : 'mt-6 flex h-80 flex-col gap-2';
  return (
    <section aria-label={t('terminal.heading')} className={place}>
      <div className="flex items-center gap-2">
        <h3 className="flex-1 text-sm font-semibold text-soft">{t('terminal.heading')}</h3>
        <Button size="small" look="quiet" onClick={() => setIsLarge(!isLarge)}>
          {t(isLarge ? 'terminal.smaller' : 'terminal.larger')}
        </Button>
        <Button size="small" look="quiet" onClick={() => setIsOpen(false)}>
          {t('terminal.close')}
        </Button>
      </div>
      <Suspense fallback={<p className="text-sm text-soft">{t('terminal.opening')}</p>}>
        <TerminalPane sessionId={sessionId} isLocked={isRunning} onEnd={() => setIsOpen(false)} />
      </Suspense>
    </section>
  );
}

/** Files that commands see as empty, and files that they cannot change. */
function Protected({ view: { masked, pinned, warnings } }: { readonly view: SandboxView }) {
  return (
    <Section title={t('sandbox.protected')}>
      {warnings.map((warning) => (
        <Notice key={warning} kind="warning">
          {seenWords(warning)}
        </Notice>
      ))}
      <Paths label={plural('sandbox.masked', masked.length)} paths={masked} />
      <Paths
        label={plural('sandbox.pinned', pinned.length)}
        paths={pinned.map(({ path, readOnly }) => (readOnly ? `${path} (${t('sandbox.readOnly')})` : path))}
      />
    </Section>
  );
}

function Paths({ label, paths }: { readonly label: string; readonly paths: readonly string[] }) {
  if (paths.length === 0) return <p className="text-sm text-soft">{label}</p>;
  return (
    <Fold label={label} className="text-sm">
      <ul className="mt-1 flex flex-col gap-0.5 pl-4.5">
        {paths.map((path) => (
          <li key={path} className="font-mono text-xs text-soft wrap-anywhere">
            {seenName(path)}
          </li>
        ))}
      </ul>
    </Fold>
  );
}

const limitTexts: Readonly<Record<string, TextKey>> = {
  network: 'sandbox.limit.network',
  memoryMb: 'sandbox.limit.memory',
  cpus: 'sandbox.limit.cpus',
  pids: 'sandbox.limit.pids',
  commands: 'sandbox.limit.commands',
  writes: 'sandbox.limit.writes',
};

/** A limit in words. An unknown limit keeps its name from the log. */
function limitFact([name, value]: readonly [string, string | number | boolean]): readonly [string, string] {
  const label = limitTexts[name];
  return [label === undefined ? seenName(name) : t(label), limitText(name, value)];
}

function limitText(name: string, value: string | number | boolean): string {
  if (typeof value === 'boolean') return t(value ? 'sandbox.yes' : 'sandbox.no');
  return name === 'memoryMb' && typeof value === 'number' ? bytes(value * 1024 * 1024) : seenName(String(value));
}
