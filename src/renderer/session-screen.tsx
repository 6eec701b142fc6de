import type { ComponentProps, ReactNode, Ref, RefObject } from 'react';
import { lazy, Suspense, useCallback, useEffect, useImperativeHandle, useMemo, useRef, useState } from 'react';
import { sessionStatus, usualPlace } from '@shared/session/session-state.ts';
import type { SlashCommand } from '@shared/session/slash-commands.ts';
import { Approvals } from './features/approvals/approvals.tsx';
import { CapQuestion } from './features/approvals/cap-question.tsx';
import type { ComposerHandle } from './features/composer/composer.tsx';
import { Composer } from './features/composer/composer.tsx';
import type { ConversationHandle } from './features/conversation/conversation.tsx';
import { Conversation } from './features/conversation/conversation.tsx';
import type { HeaderEdit } from './features/session-header/session-header.tsx';
import { SessionHeader } from './features/session-header/session-header.tsx';
import { StatusBar } from './features/status/status-bar.tsx';
import { useClient } from './lib/connection/core-context.ts';
import { useIsCommandRefused } from './lib/connection/use-host-info.ts';
import type { CodeRunner } from './lib/session/code-runner.ts';
import type { CitedPlace } from '@shared/documents/cited-part.ts';
import { CitedPlacesContext, useCitedPlaces, type CitedPlaces } from './lib/connection/find-places.ts';
import { OpenFileContext, useOpenFile } from './lib/session/use-open-file.ts';
import { CodeRunnerContext } from './lib/session/code-runner.ts';
import type { InspectorTab } from './lib/window/preferences.ts';
import { inspectorTab, inspectorWidth, isInspectorOpen } from './lib/window/preferences.ts';
import { useProjectKey } from './lib/window/use-projects.ts';
import { useStoredValue } from './lib/window/stored-value.ts';
import { t } from './lib/text/translate.ts';
import { changeStatus } from '@shared/session/file-change-state.ts';
import { hasPrograms } from '@shared/tools/program-tool.ts';
import type { QuestionHandle } from './lib/session/question-handle.ts';
import { archiveSessions, organizeSessions } from './lib/session/organize-sessions.ts';
import { useSession } from './lib/session/use-session.ts';
import type { LookUp, SessionView } from './lib/session/use-session.ts';
import type { TakenBack } from './lib/input/field-of-session.ts';
import { FieldContext } from './lib/input/field-of-session.ts';
import { useStableCallback } from './lib/drawing/use-stable-callback.ts';
import { whenIdle } from './lib/drawing/when-idle.ts';
import type { SidePanel } from './lib/window/use-side-panel.ts';
import { useEscape, useSidePanel } from './lib/window/use-side-panel.ts';
import { Button } from './ui/controls/button.tsx';
import { Empty } from './ui/layout/facts.tsx';
import { Icon } from './ui/layout/icon.tsx';
import { ResizeHandle } from './ui/layout/resize-handle.tsx';
import { Problem } from './ui/notices/problem.tsx';
import { bytes } from './lib/text/format.ts';
import { useFocusKept } from './lib/window/use-focus-kept.ts';
import { useLocalModel } from './lib/models/use-local-model.ts';
import { Notice } from './ui/notices/notice.tsx';
import { DownloadControl } from './ui/controls/download-control.tsx';
import type { SessionState } from '@shared/session/session-state.ts';
import { clearSpeech, speakToScreenReader, takeExpectedNews } from './lib/notices/screen-reader.ts';
import { useSeenEnd } from './lib/notices/use-notifications.ts';
import { spokenChanges } from './lib/session/spoken-changes.ts';

const loadInspector = () => import('./features/inspector/inspector.tsx');
const Inspector = lazy(loadInspector);

/** What other parts of the page can do with the open session. */
export interface SessionHandle {
  readonly inspect: (tab: InspectorTab) => void;
  readonly toggleInspector: () => void;
  readonly focusComposer: () => void;
  readonly focusApproval: () => void;
  readonly rename: () => void;
  readonly togglePin: () => void;
  readonly toggleArchive: () => void;
  readonly tag: () => void;
  readonly command: (command: SlashCommand) => void;
}

interface SessionScreenProps {
  readonly sessionId: string;
  /** A place to show. Each new object shows it again. */
  readonly at: { readonly ref: string; readonly seq?: number } | null;
  /** Each new object moves the focus to the open question. */
  readonly asking: object | null;
  readonly isConnected: boolean;
  readonly hasMenuButton: boolean;
  readonly handle: Ref<SessionHandle>;
  /** A turn began, ended or waits for the user, so the list of sessions must change, too. */
  readonly onStatus: () => void;
  readonly onPalette: () => void;
  readonly onModels: () => void;
}

export function SessionScreen(props: SessionScreenProps) {
  const [attempt, setAttempt] = useState(0);
  return <Attempt key={attempt} {...props} onAgain={() => setAttempt(attempt + 1)} />;
}

/** One attempt to open it. Another process may have it, or its place may be unavailable for the moment. */
function Attempt({ onAgain, ...props }: SessionScreenProps & { readonly onAgain: () => void }) {
  const { sessionId, onStatus } = props;
  const load = useSession(useClient(), sessionId);
  const state = load.type === 'ready' ? load.view.state : null;
  const status = state === null ? 'new' : sessionStatus(state);
  const isAsking = state !== null && (state.approvals.length > 0 || state.cap !== null);
  useEffect(() => onStatus(), [status, isAsking, onStatus]);
  if (load.type === 'loading') return <Empty>{t('session.opening')}</Empty>;
  if (load.type === 'failed') {
    return <Problem className="m-6 mt-14" text={`${t('session.failed')} ${load.text}`} onRetry={onAgain} />;
  }
  return <OpenSession {...props} view={load.view} lookUp={load.lookUp} />;
}

/** Below this width, in rem, the inspector covers the conversation. */
const narrowRem = 70;

interface OpenSessionProps extends SessionScreenProps {
  readonly view: SessionView;
  readonly lookUp: LookUp;
}

function OpenSession({ view, lookUp, ...props }: OpenSessionProps) {
  const { sessionId, handle, onPalette, onModels, isConnected } = props;
  const { state, money } = view;
  useSpokenSession(sessionId, state);
  useSeenEnd(sessionId, state, props.onStatus);
  const runner = useCodeRunner(sessionId, state);
  const openFile = useOpenFile(sessionId);
  const { side, tab, setTab, inspect, cited, places } = useInspector(sessionId, state);
  const [selectedStep, setSelectedStep] = useState<string | null>(null);
  const { header, ...edits } = useHeader(sessionId, state, props.onStatus);
  const own = { inspect, toggleInspector: side.toggle, ...edits };
  const { conversation, composer, approvals, cap, onUnsent } = useParts(handle, { ...props, state }, own);
  useFocusKept(sessionStatus(state), () => composer.current?.focus());
  const show = useStableCallback(inspect);
  const review = useStableCallback(() => {
    inspect('changes');
    focusInspector('changes');
  });
  const help = useStableCallback(onPalette);
  const comment = useStableCallback((text: string) => composer.current?.add(text));
  const takeBack = useStableCallback((taken: TakenBack) => composer.current?.takeBack(taken));
  const toEnd = useStableCallback(() => conversation.current?.toEnd());
  const point = useStableCallback((callId: string): void => {
    setSelectedStep(callId);
    if (tab !== 'context') setTab('route');
    if (!side.isOver) side.open();
    conversation.current?.reveal({ id: callId });
  });
  return (
    <OpenFileContext value={openFile}>
      <div className="relative flex min-h-0 flex-1">
        <main aria-label={t('session.label')} className="flex min-w-0 flex-1 flex-col">
          <SessionHeader
            sessionId={sessionId}
            state={state}
            {...header}
            hasMenuButton={props.hasMenuButton}
            selectedStep={selectedStep}
            onStep={point}
          >
            <InspectorButton isOpen={side.isOpen} onClick={side.toggle} />
          </SessionHeader>
          <div className="beside-scrollbar">
            <ModelBanner projectPath={useProjectKey(state)} />
          </div>
          <ConversationContexts {...{ takeBack, runner, places }}>
            <Conversation {...{ sessionId, view, lookUp }} handle={conversation} onReview={review} />
          </ConversationContexts>
          <div className="overflow-y-auto">
            <div className="mx-auto flex w-full max-w-3xl flex-col gap-3 px-5 pb-3 empty:hidden">
              <Approvals {...{ sessionId, state, onUnsent }} handle={approvals} />
              <CapQuestion sessionId={sessionId} cap={state.cap} handle={cap} />
            </div>
          </div>
          <div className="beside-scrollbar shrink-0">
            <Composer {...{ sessionId, state }} handle={composer} onSent={toEnd} onInspect={show} onHelp={help} />
          </div>
        </main>
        {side.isOpen && (
          <SideInspector
            {...{ sessionId, state, money, tab, selectedStep, cited }}
            onClose={side.toggle}
            onTab={setTab}
            onStep={setSelectedStep}
            onComment={comment}
            isOver={side.isOver}
          />
        )}
      </div>
      <Bar {...{ state, money, isConnected, onModels }} onInspect={show} />
    </OpenFileContext>
  );
}

interface ConversationContextsProps {
  readonly takeBack: (taken: TakenBack) => void;
  readonly runner: CodeRunner | null;
  readonly places: CitedPlaces;
  readonly children: ReactNode;
}

/** What messages and answers can do outside of the conversation. */
function ConversationContexts({ takeBack, runner, places, children }: ConversationContextsProps) {
  return (
    <FieldContext value={takeBack}>
      <CodeRunnerContext value={runner}>
        <CitedPlacesContext value={places}>{children}</CitedPlacesContext>
      </CodeRunnerContext>
    </FieldContext>
  );
}

/** Changes of a session as a whole, from its header and from elsewhere. */
function useHeader(sessionId: string, { organized = usualPlace }: SessionState, refresh: () => void) {
  const client = useClient();
  const [edited, onEdit] = useState<HeaderEdit | null>(null);
  const togglePin = (): void =>
    void organizeSessions(client, [sessionId], { isPinned: !organized.isPinned }).finally(refresh);
  const toggleArchive = (): void => void archiveSessions(client, [sessionId], !organized.isArchived, refresh);
  return {
    header: { edited, onEdit, onPin: togglePin, onArchive: toggleArchive, onChanged: refresh },
    rename: (): void => onEdit('title'),
    tag: (): void => onEdit('tags'),
    togglePin,
    toggleArchive,
  };
}

/** Where code of answers can run: in a container, which a talk starts for it, and only if this host allows it. */
function useCodeRunner(sessionId: string, state: SessionState): CodeRunner | null {
  const isRefused = useIsCommandRefused('sandboxes.run');
  const canRun = (state.sandbox === null || state.sandbox.tier === 'container') && !isRefused;
  const isBusy = sessionStatus(state) === 'running';
  return useMemo(() => (canRun ? { sessionId, isBusy } : null), [canRun, sessionId, isBusy]);
}

interface BarProps extends Omit<ComponentProps<typeof StatusBar>, 'session'> {
  readonly state: SessionView['state'];
  readonly money: SessionView['money'];
}

/** The status bar of a session. Renders again only for its events. */
function Bar({ state, money, onModels, ...props }: BarProps) {
  const session = useMemo(() => ({ state, money }), [state, money]);
  return <StatusBar {...props} session={session} onModels={useStableCallback(onModels)} />;
}

/** The parts of the screen that other code uses, and the place to show. */
function useParts(
  handle: Ref<SessionHandle>,
  { at, asking, state }: Pick<SessionScreenProps, 'at' | 'asking'> & Pick<SessionView, 'state'>,
  reach: Omit<SessionHandle, 'focusComposer' | 'focusApproval' | 'command'>,
) {
  const conversation = useRef<ConversationHandle>(null);
  const composer = useRef<ComposerHandle>(null);
  const approvals = useRef<QuestionHandle>(null);
  const cap = useRef<QuestionHandle>(null);
  const focusQuestion = (): void => (approvals.current ?? cap.current)?.focus();
  useImperativeHandle(handle, () => ({
    ...reach,
    focusComposer: () => composer.current?.focus(),
    command: (command) => composer.current?.command(command),
    focusApproval: focusQuestion,
  }));
  useEffect(() => {
    if (at !== null) conversation.current?.reveal({ id: at.ref, seq: at.seq });
  }, [at]);
  useEffect(() => {
    if (asking !== null) (approvals.current ?? cap.current)?.focus();
  }, [asking]);
  useFocusAfter(state, { composer, approvals, cap });
  useEffect(() => {
    // At the start, and after the focused element disappeared with the previous view.
    if (document.activeElement === document.body) composer.current?.focus();
  }, []);
  const onUnsent = useCallback((words: string): boolean => {
    composer.current?.add(words);
    return composer.current !== null;
  }, []);
  return { conversation, composer, approvals, cap, onUnsent };
}

/**
 * An answered question loses the focus. The next question gets it, or the message field, so that the keyboard goes on
 * working.
 */
function useFocusAfter(
  { approvals: [approval], cap }: SessionView['state'],
  parts: Readonly<Record<'composer' | 'approvals' | 'cap', RefObject<QuestionHandle | null>>>,
): void {
  const question = approval?.approvalId ?? cap?.capId ?? null;
  const before = useRef(question);
  const go = useStableCallback(() => (parts.approvals.current ?? parts.cap.current ?? parts.composer.current)?.focus());
  useEffect(() => {
    if (before.current !== null && before.current !== question && document.activeElement === document.body) go();
    before.current = question;
  }, [question, go]);
}

interface InspectorPlace {
  readonly side: SidePanel;
  readonly tab: InspectorTab;
  readonly setTab: (tab: InspectorTab) => void;
  /** Opens it at a tab. */
  readonly inspect: (tab: InspectorTab) => void;
  /** The place in a document that it previews. Null: none was opened. */
  readonly cited: CitedPlace | null;
  readonly places: CitedPlaces;
}

/** Without a choice of the user, it opens once it has something for the user: a change or a question. */
function useInspector(sessionId: string, state: SessionState): InspectorPlace {
  const { changes, approvals, cap } = state;
  // What is to be looked at comes first, until the user chooses a tab.
  const isToReview = changes.some((change) => changeStatus(change) === 'pending');
  const [chosen, setChosen] = useState<InspectorTab | null>(null);
  const hasMore = changes.length > 0 || approvals.length > 0 || cap !== null;
  const [hadMore, setHadMore] = useState(hasMore);
  // It stays open after a question was answered.
  if (hasMore && !hadMore) setHadMore(true);
  const side = useSidePanel(isInspectorOpen, narrowRem, hadMore);
  const [last, setLast] = useStoredValue(inspectorTab);
  const tab = chosen ?? (isToReview ? 'changes' : last === 'programs' && !hasPrograms(state) ? 'route' : last);
  const setTab = (next: InspectorTab): void => {
    setChosen(next);
    setLast(next);
  };
  useEffect(() => whenIdle(() => void loadInspector()), []);
  const inspect = (next: InspectorTab): void => {
    setTab(next);
    side.open();
  };
  const [cited, setCited] = useState<CitedPlace | null>(null);
  const places = useCitedPlaces(sessionId, (place) => {
    setCited({ ...place });
    inspect('preview');
  });
  return { side, tab, setTab, inspect, cited, places };
}

/** The inspector loads within this many frames. */
const mostFrames = 120;

/** Waits until it is rendered. The keyboard and screen readers go on from there. */
function focusInspector(tab: InspectorTab, frame = 0): void {
  const panel = document.querySelector<HTMLElement>(`[role=tabpanel][data-state=active][id$="-${tab}"]`);
  panel?.focus();
  if (panel === null && frame < mostFrames) requestAnimationFrame(() => focusInspector(tab, frame + 1));
}

function InspectorButton({ isOpen, onClick }: { readonly isOpen: boolean; readonly onClick: () => void }) {
  const label = t(isOpen ? 'app.hideInspector' : 'app.showInspector');
  return (
    <Button look="quiet" size="icon" aria-label={label} title={label} aria-expanded={isOpen} onClick={onClick}>
      <Icon name="panel" />
    </Button>
  );
}

interface SideInspectorProps extends Omit<ComponentProps<typeof Inspector>, 'isWide' | 'corner'> {
  /** There is no room beside the conversation. */
  readonly isOver: boolean;
  readonly onClose: () => void;
}

/** The inspector beside the conversation, or over it if there is no room. */
function SideInspector({ onClose, ...props }: SideInspectorProps) {
  const { isOver } = props;
  const [width, setWidth] = useStoredValue(inspectorWidth);
  const [isWideWanted, setIsWide] = useState(false);
  // A question of the agent is never covered.
  const isWide = isWideWanted && props.state.approvals.length === 0 && props.state.cap === null;
  const corner = useMemo(
    () => <CornerButton {...{ isOver, isWide }} onClick={isOver ? onClose : () => setIsWide(!isWide)} />,
    [isOver, isWide, onClose],
  );
  const isBeside = !isOver && !isWide;
  useEscape(!isBeside, isOver ? onClose : () => setIsWide(false));
  const places =
    isWide && !isOver ? 'absolute inset-0 z-20' : 'absolute inset-y-0 right-0 z-20 max-w-full shadow-float';
  return (
    <aside
      aria-label={t('app.inspector')}
      className={`flex shrink-0 flex-col border-l border-line bg-paper ${isBeside ? 'relative max-w-[60%]' : places}`}
      style={isWide && !isOver ? undefined : { width: `${width / 16}rem` }}
    >
      {isBeside && <ResizeHandle label={t('app.inspectorWidth')} width={width} onWidth={setWidth} />}
      <Suspense>
        <Inspector {...props} corner={corner} isWide={isWide || isOver} />
      </Suspense>
    </aside>
  );
}

interface CornerButtonProps {
  readonly isOver: boolean;
  readonly isWide: boolean;
  readonly onClick: () => void;
}

function CornerButton({ isOver, isWide, onClick }: CornerButtonProps) {
  const label = t(isOver ? 'app.hideInspector' : isWide ? 'app.narrowInspector' : 'app.wideInspector');
  return (
    <Button
      look="quiet"
      size="icon"
      className="absolute top-1.5 right-1.5 z-10"
      aria-label={label}
      title={label}
      onClick={onClick}
    >
      <Icon name={isOver ? 'close' : isWide ? 'shrink' : 'expand'} />
    </Button>
  );
}

/** Says that the chosen local model is not on this machine, and downloads it on request. */
export function ModelBanner({ projectPath }: { readonly projectPath: string | null }) {
  const model = useLocalModel(projectPath).data?.model ?? null;
  if (model?.state !== 'downloadable') return null;
  const { label, sizeBytes } = model;
  return (
    <div className="mx-auto w-full max-w-3xl px-5 pt-3">
      <Notice kind="warning">
        <p className="mb-2">
          {sizeBytes === null
            ? t('models.missingNoSize', { label })
            : t('models.missing', { label, size: bytes(sizeBytes) })}
        </p>
        <DownloadControl id={model.id} />
      </Notice>
    </div>
  );
}

/** Announces the events of the open session. */
export function useSpokenSession(sessionId: string, state: SessionState): void {
  const before = useRef<SessionState | null>(null);
  useEffect(
    () => () => {
      before.current = null;
      clearSpeech();
    },
    [],
  );
  useEffect(() => {
    if (before.current === null && takeExpectedNews(sessionId)) {
      before.current = { ...state, seq: 0, turns: [], approvals: [], cap: null };
    }
    for (const said of spokenChanges(before.current, state)) speakToScreenReader(said);
    before.current = state;
  }, [sessionId, state]);
}
