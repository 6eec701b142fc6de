import { realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute } from 'node:path';
import { AppError } from '@shared/errors.ts';
import type { CapsuleModel, CapsulePlan } from '@shared/contract/capsules-contract.ts';
import { globMatcher } from '../../../lib/files/glob-matcher.ts';
import { askDrive, workOnDrive } from '../../../lib/files/served-drives.ts';
import type { AvailableModels } from '../../../models/available-models.ts';
import { allTextsIn } from '../../../safety/value-texts.ts';
import type { HiddenReach } from '../../attachments/hidden-files.ts';
import type { HistoryCommandsOptions } from '../../history/commands.ts';
import { refuseAtWork } from '../../open/refused-requests.ts';
import { refuseOlderLog, replaySession, type RunReplayTurn } from '../../replay/replay-session.ts';
import type { SessionView } from '../../store/session-view.ts';
import type { HiddenValues } from '../../../safety/hidden-values.ts';
import { planFork } from '../fork-plan.ts';
import { writePackedLog } from '../packed-log.ts';
import { blobsOfLog } from '../session-file.ts';
import { blobsOf, capsuleForm, engineHere, hashOfFiles, type CapsuleHeader } from './capsule-file.ts';
import { readFirstState, type FirstState } from './first-state.ts';
import { findKept, hitsIn, type KeptHere, refuseHits } from './kept-here.ts';

export interface CapsuleOptions extends Pick<
  HistoryCommandsOptions,
  'sessions' | 'store' | 'blobs' | 'rules' | 'settings'
> {
  readonly home: string;
  readonly version: string;
  readonly hidden: HiddenValues;
  readonly hiddenIn: HiddenReach['hiddenIn'];
  readonly modelInfo: AvailableModels['info'];
  readonly runTurn: RunReplayTurn;
}

interface Choice {
  readonly sessionId: string;
  readonly without: readonly string[];
}

interface Gathered {
  readonly view: SessionView;
  readonly first: FirstState;
  readonly header: CapsuleHeader;
  readonly plan: CapsulePlan;
}

/** What a capsule of this session would hold. Writes nothing. */
export async function planCapsule(options: CapsuleOptions, choice: Choice, signal: AbortSignal): Promise<CapsulePlan> {
  return (await gather(options, choice, signal)).plan;
}

/** Writes the capsule that was shown, completely or not at all. */
export async function makeCapsule(
  options: CapsuleOptions,
  { path, filesHash, ...choice }: Choice & { readonly path: string; readonly filesHash: string },
  signal: AbortSignal,
): Promise<{ readonly bytes: number }> {
  if (!isAbsolute(path)) throw new AppError('bad-input', 'Give the whole path of the file, from the root on.');
  const { view, first, header, plan } = await gather(options, choice, signal);
  if (plan.filesHash !== filesHash) {
    throw new AppError('conflict', 'The files of this session changed after you looked at what the capsule holds.', {
      hint: 'Nothing was written. Make the capsule again.',
    });
  }
  const { blobs } = options;
  const get: typeof blobs.get = async (ref) => (await blobs.get(ref)) ?? first.bytesOf(ref.sha256);
  await writePackedLog(capsuleForm, { path, header, read: () => view.read(), blobs: { get } }, signal);
  const written = await workOnDrive(dirname(path), () => stat(path));
  return { bytes: written?.value.size ?? 0 };
}

async function gather(options: CapsuleOptions, { sessionId, without }: Choice, signal: AbortSignal): Promise<Gathered> {
  const { sessions, store, blobs, version } = options;
  refuseAtWork(sessions, sessionId);
  const view = await store.view(sessionId, 'whole');
  await refuseOlderLog(view);
  const { state } = view;
  const root = await rootOf(state.workspace?.path ?? null);
  const hidden = await options.hiddenIn({ workspacePath: root, projectPath: state.projectPath }, signal);
  const kept = await findKept(options, { sessionId, projectPath: state.projectPath, root, hidden }, signal);
  const { messages, models, begunAt } = await readLog(view, kept);
  const stored = await blobsOfLog(view.read(), blobs);
  await refuseKept(options, stored.present, kept, signal);
  const [firstMessage] = messages;
  if (firstMessage === undefined) throw new AppError('bad-input', 'This session has no message, so there is no task.');
  const fork = await planFork(view.read(), { before: firstMessage });
  const isLeftOut = without.map(globMatcher);
  const first = await readFirstState(
    {
      root,
      begunAt,
      restore: fork?.restore ?? [],
      blobs,
      hidden,
      fences: kept.fences,
      hitsIn: (text) => hitsIn(kept, text),
      isLeftOut: (path) => isLeftOut.some((fits) => fits(path)),
    },
    signal,
  );
  const report = await replaySession(view, blobs, options.runTurn);
  const replay = { hash: report.recordedHash, difference: report.firstDifference };
  const files = [...first.files];
  const header: CapsuleHeader = {
    sessionId,
    title: state.title,
    appVersion: version,
    engine: engineHere,
    models: await withDigests(options, models, signal),
    replay,
    files,
    left: [...first.left],
    changedSince: [...first.changedSince],
    blobs: blobsOf([...stored.present, ...files]),
  };
  const bytes = stored.present.reduce((sum, ref) => sum + ref.bytes, 0);
  const plan: CapsulePlan = {
    sessionId,
    title: state.title,
    messages: messages.length,
    events: report.events,
    files: files.map(({ path, bytes: size }) => ({ path, bytes: size })),
    filesHash: hashOfFiles(files),
    left: first.left,
    changedSince: first.changedSince,
    stored: { count: stored.present.length, bytes, missing: stored.missing },
    models: header.models,
    replay,
  };
  return { view, first, header, plan };
}

async function rootOf(path: string | null): Promise<string> {
  const look = (): Promise<string | null> => realpath(path ?? '').catch(() => null);
  const found = path === null ? null : await askDrive(path, look, { kept: 'No capsule was made.' });
  if (found !== null) return found;
  throw new AppError('not-found', 'The folder that this session worked in is gone.', {
    hint: 'Without its files nobody can repeat the task. To share the conversation: dewpoint sessions export SESSION FILE',
  });
}

interface LogFacts {
  /** The ids of its messages. */
  readonly messages: readonly string[];
  readonly models: readonly Omit<CapsuleModel, 'digest'>[];
  readonly begunAt: number;
}

/** Throws `refused` if the log holds what must stay on this machine. */
async function readLog(view: SessionView, kept: KeptHere): Promise<LogFacts> {
  const messages: string[] = [];
  const models = new Map<string, Omit<CapsuleModel, 'digest'>>();
  let begunAt = Number.POSITIVE_INFINITY;
  for await (const event of view.read()) {
    begunAt = Math.min(begunAt, event.at);
    if (event.type === 'history-copied' && event.by === 'import') {
      throw new AppError('bad-input', 'This session was imported, so the files that it began with are not here.', {
        hint: 'Make the capsule where the task was done.',
      });
    }
    if (event.type === 'user-message-added') messages.push(event.messageId);
    if (event.type === 'model-call-started')
      models.set(event.stage.model, { id: event.stage.model, where: event.stage.where });
    kept.flow.add(event);
    refuseHits(hitsIn(kept, [...allTextsIn(event)].join('\n')), 'The log of this session');
  }
  refuseHits([...kept.flow.inScope('conversation'), ...kept.flow.inScope('turn')], 'What a model read in this session');
  return { messages, models: [...models.values()], begunAt };
}

async function refuseKept(
  { blobs }: CapsuleOptions,
  refs: Awaited<ReturnType<typeof blobsOfLog>>['present'],
  kept: KeptHere,
  signal: AbortSignal,
): Promise<void> {
  for (const ref of refs) {
    signal.throwIfAborted();
    const bytes = await blobs.get(ref);
    if (bytes !== null)
      refuseHits(hitsIn(kept, Buffer.from(bytes).toString('utf8')), 'What the log of this session stored');
  }
}

async function withDigests(
  { modelInfo }: CapsuleOptions,
  models: LogFacts['models'],
  signal: AbortSignal,
): Promise<CapsuleModel[]> {
  const found: CapsuleModel[] = [];
  for (const model of models) {
    const info = await modelInfo(model.id, signal).catch(() => null);
    found.push({ ...model, digest: info?.digest ?? null });
  }
  return found.sort((left, right) => (left.id < right.id ? -1 : 1));
}
