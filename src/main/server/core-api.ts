import type {
  CallDetail,
  ChangedFile,
  ChangeOutcome,
  Finding,
  ForkOutcome,
  KeyOutcome,
  KeyReport,
  KeyTest,
  ModelEntry,
  ModelRepair,
  ModelRemoval,
  PullProgress,
  ReplayReport,
  SessionSummary,
} from '@shared/contract/contract.ts';
import type { Attachment } from '@shared/attachments/attachment.ts';
import type { FilePlace, FoundFile, KeptFile } from '@shared/attachments/attachment-inputs.ts';
import type { SearchAnswer } from '@shared/contract/search-answer.ts';
import type { Comparison, ComparisonInput } from '@shared/comparisons/comparison.ts';
import type { CostReport } from '@shared/money/cost-report.ts';
import type { CapChange, CapView } from '@shared/contract/budget-contract.ts';
import type { StepCost } from '@shared/money/step-costs.ts';
import type { Escalation } from '@shared/routing/escalations.ts';
import type { BlobRef, SessionEvent, Transient, WorkspaceMode } from '@shared/events/events.ts';
import type { ImportedSession } from '@shared/safety/approval-grants.ts';
import type { ApprovalScope } from '@shared/safety/network-access.ts';
import type { InstructionFile } from '@shared/safety/instruction-files.ts';
import type { MemoryPlanInput } from '@shared/models/memory-plan-input.ts';
import type { MemoryPlanAnswer } from '@shared/models/memory-estimate.ts';
import type { CopySize } from '@shared/contract/projects-contract.ts';
import type { BringImage, BroughtImage, ProjectImage } from '@shared/sandbox/sandbox-images.ts';
import type { CleanRequest, KeptItem, PreparationPart, PreparationPlan } from '@shared/projects/project-preparation.ts';
import type { ProjectChange, ProjectSettings } from '@shared/projects/project-settings.ts';
import type { ProbeProgress } from '@shared/models/probe-card.ts';
import type { RuleAnswer, RuleCheck, RuleOwner, RuleReport } from '@shared/rules/rule-report.ts';
import type { RuleQuestion, RuleSaving } from '@shared/contract/rules-contract.ts';
import type { RunOptions } from '@shared/session/run-options.ts';
import type { RunResult } from '@shared/session/run-result.ts';
import type { Manifest } from '@shared/session/call-manifest.ts';
import type { MoneyState } from '@shared/money/session-money.ts';
import type { CapDecision } from '../money/budget.ts';
import type { ForkPoint } from '../sessions/library/fork-plan.ts';
import type { HistoryPlace } from '../sessions/history/read-history.ts';
import type { CostQuery } from '../money/cost-ledger.ts';
import type { UntrackedPlace } from '@shared/events/sandbox-events.ts';
import type { NetworkHistory, SandboxView, TerminalPush, TerminalSize } from '@shared/sandbox/sandbox-view.ts';
import type { SessionPart } from '@shared/session/session-part.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import type { SettingKey } from '@shared/contract/settings-contract.ts';
import type { Trimming } from '@shared/session/prompt-trimming.ts';

/** One push of a subscription that began at an event; a subscriber that fell far behind gets a snapshot. */
export type CorePush =
  | { readonly type: 'event'; readonly event: SessionEvent }
  | { readonly type: 'transient'; readonly transient: Transient }
  | { readonly type: 'snapshot' };

export interface PreparationInput {
  readonly projectPath: string;
  readonly hosts: readonly string[];
}

export interface NewSessionRequest {
  readonly projectPath: string | null;
  readonly workspace?: WorkspaceMode | undefined;
  readonly title?: string | undefined;
  readonly sandbox?: 'container' | 'read-only' | undefined;
  /** The folder that a copy is taken from, where it is not the project's own. */
  readonly sourcePath?: string | undefined;
  /** The comparison whose run this is. */
  readonly groupId?: string | undefined;
}

/**
 * The core as hosts use it. Expected failures are thrown as `AppError`; the router turns them into typed errors.
 * Ids are whole ids; only `findSession` takes the beginning of one.
 */
export interface CoreApi {
  readonly info: { readonly version: string; readonly home: string; readonly cache: string };
  createSession(request: NewSessionRequest, signal?: AbortSignal): Promise<string>;
  send(
    sessionId: string,
    text: string,
    options: RunOptions,
    attachments?: readonly Attachment[],
  ): Promise<{ readonly messageId: string; readonly queued: boolean }>;
  /**
   * Calls `listener` with every event from `fromSeq` on, each after it was written, and the transients between them.
   * The next push waits for a promise that it returns. The returned function ends it.
   */
  subscribe(
    sessionId: string,
    fromSeq: number,
    listener: (push: CorePush) => void | Promise<void>,
  ): Promise<() => void>;
  /** Cancels the running turn, if there is one; resolves when it has ended. */
  cancel(sessionId: string): Promise<void>;
  approve(sessionId: string, approvalId: string, answer: 'allow' | 'deny', scope?: ApprovalScope): Promise<void>;
  /** What to do at a cap; `not-found` when no turn waits there. */
  answerCap(sessionId: string, capId: string, decision: CapDecision): Promise<void>;
  /** Keeps the steps of a plan as a person wants them. Rejects with `not-found` for a turn that made no plan. */
  editPlan(sessionId: string, turnId: string, steps: readonly string[]): Promise<void>;
  /** What a person gives with a message. Rejects with `bad-input` for what no model could be shown. */
  keepAttachment(file: KeptFile): Promise<Attachment>;
  /** An image; null where it is gone, or is none. */
  readAttachment(blob: BlobRef): Promise<{ readonly mediaType: string; readonly data: string } | null>;
  findFiles(
    place: FilePlace,
    query: { readonly text: string; readonly limit: number },
    signal: AbortSignal,
  ): Promise<readonly FoundFile[]>;
  listSessions(): Promise<readonly SessionSummary[]>;
  /** Looks through the texts of all sessions. */
  searchSessions(text: string, limit: number, signal: AbortSignal): Promise<SearchAnswer>;
  findSession(id: string): Promise<SessionSummary>;
  renameSession(sessionId: string, title: string): Promise<void>;
  /** `at` undefined: the end. Rejects with `conflict` while a turn of it runs. */
  forkSession(sessionId: string, at: ForkPoint | undefined, signal: AbortSignal): Promise<ForkOutcome>;
  exportSession(
    sessionId: string,
    path: string,
    signal: AbortSignal,
  ): Promise<{ readonly blobs: number; readonly missing: number }>;
  /** No yes that it brings counts here. */
  importSession(path: string, signal: AbortSignal): Promise<ImportedSession>;
  /** Into the bin. Rejects with `conflict` while a turn of it runs. */
  deleteSession(sessionId: string): Promise<void>;
  binnedSessions(): Promise<readonly SessionSummary[]>;
  restoreSession(id: string): Promise<string>;
  purgeSession(id: string): Promise<void>;
  showSession(sessionId: string): Promise<{ readonly state: SessionState; readonly money: MoneyState }>;
  /** By its id; empty for one that the log does not know. `near`: of an event before it, not far. */
  callDetail(sessionId: string, id: string, near?: number): Promise<CallDetail>;
  /** Turns that are no longer in the state; null where there are none. */
  history(sessionId: string, place: HistoryPlace): Promise<SessionPart | null>;
  /** What a step carried to its model, or would have; null where nobody knows. */
  manifest(sessionId: string, step: number): Promise<Manifest | null>;
  /** What a model call was not shown, of all that there was up to it. */
  trimmed(sessionId: string, callId: string): Promise<readonly Trimming[]>;
  /** Every step that a failure moved, with its cause. */
  escalations(sessionId: string): Promise<readonly Escalation[]>;
  /** Of the last turn; waits until it has ended. */
  result(sessionId: string): Promise<RunResult>;
  replay(sessionId: string, signal: AbortSignal): Promise<ReplayReport>;
  /** What commands left where changes are not tracked, and this machine goes by later. */
  untracked(sessionId: string): Promise<readonly UntrackedPlace[]>;
  showChanges(sessionId: string, paths: readonly string[]): Promise<readonly ChangedFile[]>;
  takeChanges(sessionId: string, paths: readonly string[]): Promise<ChangeOutcome>;
  undoChanges(sessionId: string, paths: readonly string[]): Promise<ChangeOutcome>;
  listModels(signal: AbortSignal): Promise<readonly ModelEntry[]>;
  showModel(id: string, fit: boolean, signal: AbortSignal): Promise<ModelEntry>;
  pullModel(id: string, onProgress: (progress: PullProgress) => void, signal: AbortSignal): Promise<void>;
  /** Gives a model file anywhere on the disk a name; the file stays where and as it is. */
  importModel(
    request: { readonly path: string; readonly name: string | null },
    signal: AbortSignal,
  ): Promise<ModelEntry>;
  /** Finds out how a model is best driven; the last progress has the card. */
  probeModel(id: string, onProgress: (progress: ProbeProgress) => void, signal: AbortSignal): Promise<void>;
  /** Deletes what was downloaded, forgets what was imported. */
  removeModel(id: string, signal: AbortSignal): Promise<ModelRemoval>;
  /** Looks at what is wrong with a model of a server; derives one that is repaired only where `apply` says so. */
  repairModel(id: string, apply: boolean, signal: AbortSignal): Promise<ModelRepair>;
  /** What a model would take and get; loads and fetches nothing. */
  plan(input: MemoryPlanInput, signal: AbortSignal): Promise<MemoryPlanAnswer>;
  /** Which providers have a key, and from where. */
  listKeys(): Promise<KeyReport>;
  /** Keeps a key and tries it. Rejects with `missing-key` when this system has no place for it. */
  setKey(
    input: { readonly provider: string; readonly value: string; readonly forThisRun: boolean },
    signal: AbortSignal,
  ): Promise<KeyOutcome>;
  /** Asks a service with the key that is set; costs nothing. */
  testKey(provider: string, signal: AbortSignal): Promise<KeyTest>;
  removeKey(provider: string): Promise<void>;
  /** Puts back a key that was removed a moment ago. Rejects with `not-found` when it is not kept any more. */
  restoreKey(provider: string): Promise<void>;
  /** What was spent, from the logs. */
  costs(query: CostQuery): Promise<CostReport>;
  stepCosts(sessionId: string): Promise<readonly StepCost[]>;
  /** The caps on money as they are; with a project its own. */
  showBudget(projectPath: string | null): Promise<readonly CapView[]>;
  /** Rejects with `bad-input` where there is no cap that could be raised or lowered. */
  changeBudget(
    target: { readonly scope: CapView['scope']; readonly projectPath: string | null },
    change: CapChange,
  ): Promise<readonly CapView[]>;
  /** Takes a copy of the project as it is now; `startComparison` then works from that. */
  createComparison(input: ComparisonInput, signal: AbortSignal): Promise<string>;
  /** Carries out what has not ended yet; nothing more when it is at it already. `maxUsd`: for all runs together. */
  startComparison(id: string, maxUsd: number | undefined): Promise<void>;
  /** Calls `listener` now and after each change, and `end` when nothing more will come. The returned function ends it. */
  watchComparison(
    id: string,
    listener: (comparison: Comparison) => void,
    end: (error?: unknown) => void,
  ): Promise<() => void>;
  cancelComparison(id: string): Promise<void>;
  showComparison(id: string): Promise<Comparison>;
  listComparisons(): Promise<readonly Comparison[]>;
  showRules(projectPath: string | null): Promise<RuleReport>;
  checkRules(
    target: { readonly owner: RuleOwner; readonly projectPath: string | null },
    text: string,
  ): Promise<RuleCheck>;
  /** Rejects with `bad-input` for a text with an error, with `conflict` when the file was changed meanwhile. */
  saveRules(saving: RuleSaving): Promise<RuleReport>;
  testRules(question: RuleQuestion): Promise<RuleAnswer>;
  /** Rejects with `conflict` when the rules of the project are others by now. */
  approveRules(projectPath: string, hash: string): Promise<RuleReport>;
  getSetting(key: SettingKey | undefined): unknown;
  setSetting(key: SettingKey, value: unknown): Promise<unknown>;
  /** The usual value again, or the entry gone. */
  unsetSetting(key: SettingKey): Promise<void>;
  /** Calls `listener` with the name of each setting that is changed; the returned function ends it. */
  watchSettings(listener: (key: string) => void): () => void;
  /** What one project has of its own. */
  projectSettings(projectPath: string): Promise<ProjectSettings>;
  /** `bad-input` for what cannot be; then nothing was changed. */
  configureProject(projectPath: string, change: ProjectChange): Promise<ProjectSettings>;
  readonly settingsPath: string;
  /** Calls `onView` with how it stands now and every two seconds, until `signal` is aborted. Starts no sandbox. */
  watchSandbox(sessionId: string, onView: (view: SandboxView) => void, signal: AbortSignal): Promise<void>;
  /** What commands of a session reached, and what a person said to it. */
  networkHistory(sessionId: string): Promise<NetworkHistory>;
  /** A person's shell in the sandbox of a session, until it ends or `signal` is aborted. `conflict` while a turn runs. */
  openTerminal(
    sessionId: string,
    options: { readonly size: TerminalSize; readonly onPush: (push: TerminalPush) => void },
    signal: AbortSignal,
  ): Promise<void>;
  typeInTerminal(terminalId: string, text: string): Promise<void>;
  resizeTerminal(terminalId: string, size: TerminalSize): Promise<void>;
  /** How it stands with a project's packages. */
  projectParts(projectPath: string, signal: AbortSignal): Promise<readonly PreparationPart[]>;
  /** What would be run to install them. `hosts`: allowed beside those that are found. */
  planPreparation(input: PreparationInput, signal: AbortSignal): Promise<PreparationPlan>;
  /** Runs what the plan with this `approval` says; rejects with `conflict` when it says something else by now. */
  prepareProject(
    input: PreparationInput & { readonly approval: string },
    onProgress: (text: string) => void,
    signal: AbortSignal,
  ): Promise<PreparationPlan>;
  /** The image that a project brings along; null where it brings none. */
  /** The files of instructions for agents of a project as they lie there now. */
  listInstructions(projectPath: string): Promise<readonly InstructionFile[]>;
  /** A yes to exactly these bytes. Rejects with `conflict` when they are others by now. */
  approveInstructions(projectPath: string, path: string, sha256: string): Promise<readonly InstructionFile[]>;
  /** Takes it back; `path` null: all of the project. The paths that had a yes. */
  forgetInstructions(projectPath: string, path: string | null): Promise<readonly string[]>;
  projectImage(projectPath: string): Promise<ProjectImage | null>;
  copySize(projectPath: string, signal: AbortSignal): Promise<CopySize>;
  /** Imports, fetches or builds an image; `conflict` when a project says something else than was approved. */
  bringImage(input: BringImage, onProgress: (text: string) => void, signal: AbortSignal): Promise<BroughtImage>;
  /** Removes the packages that were installed for a project. */
  removePackages(projectPath: string, signal: AbortSignal): Promise<readonly KeptItem[]>;
  /** What is kept in the container engine, in the home and in the cache; models are theirs who brought them. */
  clean(request: CleanRequest, signal: AbortSignal): Promise<readonly KeptItem[]>;
  doctor(signal: AbortSignal): Promise<readonly Finding[]>;
  /** Turns that run now, of all sessions. */
  runningTurns(): number;
  /** Resolves when no turn runs. */
  idle(): Promise<void>;
  /** Cancels what runs and ends every process, container and file that is open. Safe to call twice. */
  dispose(): Promise<void>;
}
