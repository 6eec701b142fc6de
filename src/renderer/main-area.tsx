import type { Ref } from 'react';
import type { ListedProject } from '@shared/projects/project-list.ts';
import type { GivenTask } from '@shared/contract/host-contract.ts';
import { lazy, Suspense } from 'react';
import { Approvals } from './features/approvals/approvals.tsx';
import { CapQuestion } from './features/approvals/cap-question.tsx';
import { FirstStart } from './features/first-start/first-start.tsx';
import { StatusBar } from './features/status/status-bar.tsx';
import type { ShowQuestions } from './features/tasks/task-row.tsx';
import { NewTask } from './features/task/new-task.tsx';
import { noChoice, startTask } from './features/task/start-task.ts';
import { useClient } from './lib/connection/core-context.ts';
import type { Action } from './lib/input/actions.ts';
import { inspectorTab } from './lib/window/preferences.ts';
import type { SessionsLoad } from './lib/session/use-sessions.ts';
import type { View } from './lib/window/use-view.ts';
import { useBeside } from './lib/models/beside.ts';
import type { SessionHandle } from './session-screen.tsx';
import { SessionScreen } from './session-screen.tsx';

const BesideView = lazy(() => import('./features/conversation/beside/beside-columns.tsx'));
const TasksView = lazy(() => import('./features/tasks/tasks-view.tsx'));
const BinView = lazy(() => import('./features/bin/bin-view.tsx'));
const AssistantsView = lazy(() => import('./features/assistants/assistants-view.tsx'));
const ModelsView = lazy(() => import('./features/models/models-view.tsx'));
const ToolsView = lazy(() => import('./features/tools/tools-view.tsx'));
const ProjectView = lazy(() => import('./features/project/project-view.tsx'));
const ProjectPrompts = lazy(() => import('./features/composer/project-prompts.tsx'));
const CostsView = lazy(() => import('./features/costs/costs-view.tsx'));
const ReceiptView = lazy(() => import('./features/receipt/receipt-view.tsx'));
const SettingsView = lazy(() => import('./features/settings/settings-view.tsx'));
const MemorySettings = lazy(() => import('./features/project/project-memory.tsx'));
const RulesEditor = lazy(() => import('./features/rules/rules-editor.tsx'));
const RulesSettings = lazy(() => import('./features/rules/rules-settings.tsx'));
const CompareView = lazy(() => import('./features/compare/compare-view.tsx'));

interface MainAreaProps {
  readonly view: View;
  readonly load: SessionsLoad;
  readonly projects: readonly ListedProject[];
  readonly actions: readonly Action[];
  readonly session: Ref<SessionHandle>;
  readonly isConnected: boolean;
  /** A button covers the upper left corner. */
  readonly hasMenuButton: boolean;
  readonly onShow: (view: View) => void;
  readonly onStatus: () => void;
  readonly onPalette: () => void;
}

/** The one view in the middle of the window, with the status bar below it. */
export function MainArea(props: MainAreaProps) {
  const { view, onShow, isConnected } = props;
  const beside = useBeside(view.type === 'session' ? view.sessionId : '');
  if (view.type === 'session' && beside === null) {
    return (
      <SessionScreen
        key={view.sessionId}
        sessionId={view.sessionId}
        at={view.at ?? null}
        asking={view.isAsking === true ? view : null}
        isConnected={isConnected}
        hasMenuButton={props.hasMenuButton}
        handle={props.session}
        onStatus={props.onStatus}
        onPalette={props.onPalette}
        onModels={() => onShow({ type: 'models' })}
      />
    );
  }
  return (
    <>
      {beside === null ? (
        <main className="min-h-0 flex-1">
          <Suspense>
            <OtherView {...props} />
          </Suspense>
        </main>
      ) : (
        <Suspense>
          <BesideView {...{ beside }} questions={questionsOf} onStatus={props.onStatus} />
        </Suspense>
      )}
      <StatusBar
        session={null}
        isConnected={isConnected}
        onInspect={inspectorTab.set}
        onModels={() => onShow({ type: 'models' })}
      />
    </>
  );
}

/** Words for a question that goes stay in its own draft. */
const keepsNothing = (): boolean => false;
/** The open questions of a session, in the list of tasks. */
const questionsOf: ShowQuestions = (sessionId, state) => (
  <>
    <Approvals {...{ sessionId, state }} handle={null} onUnsent={keepsNothing} />
    <CapQuestion sessionId={sessionId} cap={state.cap} handle={null} />
  </>
);
const nothingGiven: GivenTask = {};
/** A task from a view without a choice of models goes to those of the settings. */
const noPick = { pick: { policy: null }, mode: null, assistant: null } as const;

interface SettingsPartsProps {
  readonly view: Extract<View, { readonly type: 'settings' }>;
  readonly projects: readonly ListedProject[];
}

/** What other features have in the settings. */
function SettingsParts({ view: { at, project = '' }, projects }: SettingsPartsProps) {
  return (
    <Suspense>
      <RulesSettings isWanted={at === 'rules'} />
      <MemorySettings projects={projects} wanted={project} isWanted={at === 'memory'} />
    </Suspense>
  );
}

/** Asks what a first start offers, in a talk of its own. */
function useFirstQuestion(onShow: MainAreaProps['onShow']): (task: string) => Promise<void> {
  const client = useClient();
  return async (task) => {
    const { signal } = new AbortController();
    const sessionId = await startTask(client, { ...noChoice, ...noPick, task, project: '', attachments: [] }, signal);
    onShow({ type: 'session', sessionId });
  };
}

function OtherView({ view, load, projects: all, actions, onShow, onStatus }: MainAreaProps) {
  const ask = useFirstQuestion(onShow);
  const projects = all.flatMap(({ folder }) => folder ?? []);
  switch (view.type) {
    case 'models':
      return <ModelsView at={view.at} />;
    case 'compare':
      return (
        <CompareView
          key={view.task?.text ?? view.sessions?.join() ?? ''}
          projects={projects}
          task={view.task ?? null}
          sessions={view.sessions ?? []}
          onSession={(sessionId) => onShow({ type: 'session', sessionId })}
        />
      );
    case 'tasks':
      return (
        <TasksView
          {...{ load }}
          questions={questionsOf}
          onSession={(sessionId) => onShow({ type: 'session', sessionId })}
          onChanged={onStatus}
        />
      );
    case 'bin':
      return <BinView onSession={(sessionId) => onShow({ type: 'session', sessionId })} />;
    case 'tools':
      return <ToolsView projects={all.map(({ path }) => path)} />;
    case 'assistants':
      return <AssistantsView />;
    case 'costs':
      return <CostsView />;
    case 'receipt':
      return <ReceiptView key={JSON.stringify(view.about)} about={view.about ?? null} />;
    case 'settings':
      return (
        <SettingsView view={view} actions={actions}>
          <SettingsParts view={view} projects={all} />
        </SettingsView>
      );
    case 'project':
      return <ProjectPage key={view.path} projectPath={view.path} />;
    case 'new':
    case 'session':
      return (
        <NewTask
          key={view.type === 'new' ? (view.project ?? '') : ''}
          projects={all}
          first={view.type === 'new' ? (view.project ?? null) : null}
          asked={view.type === 'new' ? view : nothingGiven}
          isFirstHome={load.type === 'ready' && load.sessions.length === 0}
          onStarted={(sessionId) => onShow({ type: 'session', sessionId })}
        >
          {load.type === 'ready' && <FirstStart hasSessions={load.sessions.length > 0} onAsk={ask} />}
        </NewTask>
      );
    default:
      return view satisfies never;
  }
}

/** A project, with what other features show of it. */
function ProjectPage({ projectPath }: { readonly projectPath: string }) {
  return (
    <ProjectView
      projectPath={projectPath}
      prompts={
        <Suspense>
          <ProjectPrompts project={projectPath} />
        </Suspense>
      }
      rules={
        <Suspense>
          <RulesEditor projectPath={projectPath} owner="project" />
        </Suspense>
      }
    />
  );
}
