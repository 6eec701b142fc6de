import type { ReactNode } from 'react';
import { lazy, memo, Suspense } from 'react';
import type { MoneyState } from '@shared/money/session-money.ts';
import type { CitedPlace } from '@shared/documents/cited-part.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import { hasPrograms } from '@shared/tools/program-tool.ts';
import type { InspectorTab } from '../../lib/window/preferences.ts';
import { inspectorTabs } from '../../lib/window/preferences.ts';
import { t } from '../../lib/text/translate.ts';
import { Tabs } from '../../ui/layout/tabs.tsx';
import { changeStatus } from '@shared/session/file-change-state.ts';
import { ChangesTab } from './changes/changes-tab.tsx';
import { ContextTab } from './context/context-tab.tsx';
import { RouteTab } from './route/route-tab.tsx';

const CostTab = lazy(() => import('./cost/cost-tab.tsx'));
const PreviewTab = lazy(() => import('./preview/preview-tab.tsx'));
const ProgramsTab = lazy(() => import('./programs/programs-tab.tsx'));
const SandboxTab = lazy(() => import('./sandbox/sandbox-tab.tsx'));

interface InspectorProps {
  readonly sessionId: string;
  readonly state: SessionState;
  readonly money: MoneyState;
  readonly tab: InspectorTab;
  readonly onTab: (tab: InspectorTab) => void;
  /** The selected step; null: the latest. */
  readonly selectedStep: string | null;
  readonly onStep: (callId: string) => void;
  /** The place in a document to show in the preview. Each new object shows it again. */
  readonly cited: CitedPlace | null;
  /** Whether it has the width of the window. */
  readonly isWide: boolean;
  /** Adds words to the message in the composer. */
  readonly onComment: (text: string) => void;
  /** The button over the right end of the tabs. Pass the same element to avoid renders. */
  readonly corner: ReactNode;
}

/** Beside the conversation: the same facts, sorted by subject. Does not render again for streamed words. */
export default memo(function Inspector(props: InspectorProps) {
  const { state, tab, onTab, corner } = props;
  const open = state.changes.filter((change) => changeStatus(change) === 'pending').length;
  // Most sessions have no programs.
  const shown = inspectorTabs.filter((id) => id !== 'programs' || id === tab || hasPrograms(state));
  const tabs = shown.map((id) => ({
    id,
    label: t(`inspector.${id}`),
    ...(id === 'changes' ? { count: open } : {}),
  }));
  return (
    <Tabs tabs={tabs} selected={tab} onSelect={onTab} label={t('inspector.label')} corner={corner}>
      <h2 className="sr-only">{t(`inspector.${tab}`)}</h2>
      <Suspense fallback={null}>
        <Content {...props} />
      </Suspense>
    </Tabs>
  );
});

function Content({ sessionId, state, money, tab, selectedStep, cited, onStep, isWide, onComment }: InspectorProps) {
  switch (tab) {
    case 'route':
      return <RouteTab sessionId={sessionId} state={state} selectedStep={selectedStep} onStep={onStep} />;
    case 'cost':
      return <CostTab sessionId={sessionId} state={state} money={money} />;
    case 'sandbox':
      return <SandboxTab sessionId={sessionId} state={state} />;
    case 'changes':
      return <ChangesTab sessionId={sessionId} state={state} isWide={isWide} onComment={onComment} />;
    case 'preview':
      return <PreviewTab sessionId={sessionId} state={state} cited={cited} />;
    case 'context':
      return <ContextTab sessionId={sessionId} state={state} selectedStep={selectedStep} />;
    case 'programs':
      return <ProgramsTab sessionId={sessionId} state={state} />;
    default:
      return tab satisfies never;
  }
}
