import { rm } from 'node:fs/promises';
import { extname, isAbsolute, join } from 'node:path';
import type { DroppedGrants, ImportedSession } from '@shared/safety/approval-grants.ts';
import { createSessionAnswers } from '../../safety/session-answers.ts';
import { AppError, valueOf, toFailure } from '@shared/errors.ts';
import type { BlobRef } from '@shared/events/blob-ref.ts';
import type { NewEvent, SessionEvent } from '@shared/events/events.ts';
import { LOG_VERSION } from '@shared/events/events.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import type { OpenSessions } from '../open/open-sessions.ts';
import { refuseAtWork } from '../open/refused-requests.ts';
import type { PreparedWorkspace, prepareWorkspace } from '../../sandbox/workspace/prepare-workspace.ts';
import type { Blobs } from '../blobs/blob-store.ts';
import { copyLog } from './copy-log.ts';
import { placeInTree } from '../children/session-tree.ts';
import type { ForkPlan, ForkPoint } from './fork-plan.ts';
import { planFork } from './fork-plan.ts';
import { branchesOfTalks } from './session-branches.ts';
import { openSessionFile, writeSessionFile } from './session-file.ts';
import type { SessionStore } from '../store/session-store.ts';
import type { DownloadPiece, ReadableForm } from '@shared/contract/session-download.ts';
import { exportReadable, readableFormOf, readableMessages } from './readable/export-readable.ts';
import { createSafeFolder, type SafeFolder } from '../changes/safe-folder.ts';
import type { FileImage } from '@shared/events/tool-events.ts';
import type { ForkOutcome } from '@shared/contract/sessions-contract.ts';

/** What copying a session needs: into another session, into a file, and out of a file. */
export interface SessionLibraryOptions {
  readonly home: string;
  readonly version: string;
  readonly store: SessionStore;
  /** The bin: deleted sessions that can be restored. */
  readonly bin: SessionStore;
  readonly sessions: OpenSessions;
  readonly blobs: Blobs;
  readonly prepareWorkspace: typeof prepareWorkspace;
  readonly now: () => number;
}

export interface WantedFork {
  readonly sessionId: string;
  /** Absent: its end. */
  readonly at?: ForkPoint | undefined;
  /** Another branch of the same talk. */
  readonly isBranch?: boolean;
}

/** Creates a session with the same history up to a point, or all of it. Rejects with `conflict` during a turn. */
export async function forkSession(
  options: SessionLibraryOptions,
  { sessionId, at: point, isBranch = false }: WantedFork,
  signal: AbortSignal,
): Promise<ForkOutcome> {
  const { store, bin, sessions, blobs } = options;
  refuseAtWork(sessions, sessionId);
  const view = await store.view(sessionId);
  const plan = await planFork(view.read(), point ?? null);
  if (plan === null) throw new AppError('not-found', 'The log of this session has no such message, step or turn.');
  const id = store.newSessionId();
  const { path, mode } = await workspaceOf(options, { id, state: view.state, plan }, signal);
  const isOwn = path !== view.state.workspace?.path;
  const notRestored = isOwn ? await restoreFiles(path, plan.restore, (ref) => blobs.get(ref)) : [];
  // The chain of parents may contain sessions that were deleted since.
  const { rootId, depth } =
    view.state.tree ?? placeInTree(sessionId, [...(await store.members()), ...(await bin.members())]);
  const fenced = await fencedAtStart(view.read());
  const made = createdEvent(options, { id, state: view.state, workspace: { mode, path } });
  const talk = isBranch ? { branchOf: view.state.branchOf ?? sessionId } : {};
  const created = { ...made, ...talk, tree: { rootId, depth }, ...(fenced === undefined ? {} : { fenced }) };
  // Changes in the project folder itself can only be undone in the parent.
  const changes = view.state.workspace?.mode === 'in-place' ? 'settled' : 'open';
  const { events, grants } = countingApprovals(upTo(view.read(), plan.upToSeq));
  const { upToSeq, isForeign } = plan;
  const ends = (): readonly NewEvent[] => [
    ...plan.ends,
    {
      type: 'history-copied',
      by: 'fork',
      sessionId,
      upToSeq,
      changes,
      ...(isForeign ? { isForeign, ...droppedGrantsField(grants()) } : {}),
    },
    ...(plan.moved === null ? [] : [plan.moved]),
    ...(isBranch ? [] : [{ type: 'session-renamed', title: forkTitle(view.state.title) } as const]),
  ];
  await copyLog({ folder: store.folderOf(id), created, events, ends, now: options.now });
  const files = { place: isOwn ? 'copy' : 'same', restored: plan.restore.length - notRestored.length } as const;
  return { sessionId: id, notRestored, files };
}

/** The fenced content that an agent's task was made from stays with every copy of the session. */
async function fencedAtStart(
  events: AsyncIterable<SessionEvent>,
): Promise<Extract<NewEvent, { type: 'session-created' }>['fenced']> {
  for await (const event of events) return event.type === 'session-created' ? event.fenced : undefined;
  return undefined;
}

interface Forked {
  readonly id: string;
  readonly state: SessionState;
  readonly plan: ForkPlan;
}

/**
 * A fork of a session in a project folder works there, too, if nothing was changed since the point. Otherwise it works
 * in a copy, so that the folder belongs to its session alone. A fork of a copy gets a copy.
 */
async function workspaceOf(
  { home, prepareWorkspace: prepare }: SessionLibraryOptions,
  { id, state, plan }: Forked,
  signal: AbortSignal,
): Promise<Pick<PreparedWorkspace, 'path' | 'mode'>> {
  if (state.workspace === null) throw new AppError('log-damaged', 'The log does not say where this session works.');
  const { mode, path } = state.workspace;
  const staysInPlace = mode === 'in-place' && plan.restore.length === 0;
  const prepared = await prepare(
    {
      mode: staysInPlace ? 'in-place' : 'copy',
      projectPath: path,
      targetPath: join(home, 'workspaces', id),
      homePath: home,
      needsWrite: false,
    },
    signal,
  );
  return { path: valueOf(prepared).path, mode: mode === 'scratch' ? mode : staysInPlace ? 'in-place' : 'copy' };
}

interface CreatedFrom {
  readonly id: string;
  readonly state: Pick<SessionState, 'title' | 'projectPath' | 'project' | 'sessionId'>;
  readonly workspace: Extract<NewEvent, { type: 'session-created' }>['workspace'];
}

function createdEvent(
  { version }: SessionLibraryOptions,
  { id, state, workspace }: CreatedFrom,
): Extract<NewEvent, { type: 'session-created' }> {
  return {
    type: 'session-created',
    logVersion: LOG_VERSION,
    sessionId: id,
    appVersion: version,
    title: state.title,
    projectPath: state.projectPath,
    // The copy is where the session is now: what the project keeps here stays here.
    ...(typeof state.project === 'string' ? { project: state.project } : {}),
    workspace,
    parentId: state.sessionId,
    groupId: null,
  };
}

const forkMark = ' (fork)';

function forkTitle(title: string): string {
  return title.endsWith(forkMark) ? title : `${title}${forkMark}`;
}

/** The same events, and the number of the user's approvals among them. */
function countingApprovals(source: AsyncIterable<SessionEvent>): {
  readonly events: AsyncIterable<SessionEvent>;
  readonly grants: () => DroppedGrants;
} {
  const answers = createSessionAnswers();
  const events = async function* events(): AsyncGenerator<SessionEvent> {
    for await (const event of source) {
      answers.add(event);
      yield event;
    }
  };
  return { events: events(), grants: answers.grants };
}

function droppedGrantsField(dropped: DroppedGrants): { readonly dropped?: DroppedGrants } {
  return Object.keys(dropped).length === 0 ? {} : { dropped };
}

async function* upTo(events: AsyncIterable<SessionEvent>, seq: number): AsyncGenerator<SessionEvent> {
  for await (const event of events) {
    if (event.seq > seq) return;
    yield event;
  }
}

/**
 * Writes the log and stored files into one file to import again, or, by the file's ending, a text for readers (`.md`,
 * `.html`) or the calls of tools as JSON lines (`.jsonl`). A running session is exported as it was at the start. */
export async function exportSession(
  { store, blobs, version, now }: SessionLibraryOptions,
  sessionId: string,
  path: string,
  signal: AbortSignal,
): Promise<{ readonly blobs: number; readonly missing: number; readonly branches: number }> {
  requireWhole(path);
  const form = readableFormOf(path);
  if (form !== null) {
    const talk = await readableTalk({ store, blobs }, sessionId, form);
    return { ...(await exportReadable(path, talk, signal)), branches: talk.branches };
  }
  const ending = extname(path);
  if (ending !== '' && ending.toLowerCase() !== '.dewpoint')
    throw new AppError('bad-input', `A session is not written as ${ending}. Nothing was written.`, {
      hint: 'Name a file that ends in .dewpoint (to import again), .md, .html or .jsonl. The window also makes a PDF.',
    });
  const branches = await otherBranches(store, sessionId);
  const view = await store.view(sessionId);
  // The log of a session at work grows meanwhile.
  const read = (): AsyncIterable<SessionEvent> => upTo(view.read(), view.state.seq);
  const header = { sessionId, title: view.state.title, appVersion: version, exportedAt: now() };
  return { ...(await writeSessionFile({ path, header, read, blobs }, signal)), branches };
}

/** The text that `exportSession` writes, for a page that cannot name a file of this machine. */
export async function downloadSession(
  options: Pick<SessionLibraryOptions, 'store' | 'blobs'>,
  { sessionId, form }: { readonly sessionId: string; readonly form: ReadableForm },
  signal: AbortSignal,
): Promise<AsyncIterable<DownloadPiece>> {
  return readableMessages(await readableTalk(options, sessionId, form), signal);
}

async function readableTalk(
  { store, blobs }: Pick<SessionLibraryOptions, 'store' | 'blobs'>,
  sessionId: string,
  form: ReadableForm,
) {
  const branches = await otherBranches(store, sessionId);
  const view = await store.view(sessionId);
  return { form, state: view.state, events: upTo(view.read(), view.state.seq), blobs, branches };
}

async function otherBranches(store: SessionStore, sessionId: string): Promise<number> {
  return (await branchesOfTalks(store, [sessionId])).length - 1;
}

function requireWhole(path: string): void {
  if (!isAbsolute(path)) throw new AppError('bad-input', 'Give the whole path of the file, from the root on.');
}

/**
 * A foreign log must not decide about paths or permissions on this machine. The session gets an empty folder, no
 * project, and an event after its history from which on approvals must be given again.
 */
export async function importSession(
  options: SessionLibraryOptions,
  path: string,
  signal: AbortSignal,
): Promise<ImportedSession> {
  const { home, store, blobs, now } = options;
  requireWhole(path);
  const file = await openSessionFile(path, signal);
  const id = store.newSessionId();
  try {
    const workspace = valueOf(
      await options.prepareWorkspace(
        {
          mode: 'scratch',
          projectPath: null,
          targetPath: join(home, 'workspaces', id),
          homePath: home,
          needsWrite: true,
        },
        signal,
      ),
    );
    const created = createdEvent(options, {
      id,
      state: { title: file.header.title, projectPath: null, sessionId: null },
      workspace: { mode: 'scratch', path: workspace.path },
    });
    const { sessionId } = file.header;
    const seen = { last: 0 };
    const { events: watchedEvents, grants } = countingApprovals(file.events());
    // The blobs come after the log, and the session is created only if they are good.
    const events = async function* events(): AsyncGenerator<SessionEvent> {
      for await (const event of watchedEvents) {
        seen.last = event.seq;
        yield event;
      }
      await file.keepBlobs(blobs);
    };
    const ends = (): readonly NewEvent[] => [
      {
        type: 'history-copied',
        by: 'import',
        sessionId,
        upToSeq: seen.last,
        changes: 'settled',
        ...droppedGrantsField(grants()),
      },
    ];
    await copyLog({ folder: store.folderOf(id), created, events: events(), ends, now });
    return { sessionId: id, dropped: grants() };
  } catch (error) {
    await rm(join(home, 'workspaces', id), { recursive: true, force: true });
    throw error;
  } finally {
    file.close();
  }
}

/** Restores files in a folder that no session uses yet. Returns those that could not be restored, with the reasons. */
export async function restoreFiles(
  root: string,
  files: readonly { readonly path: string; readonly image: FileImage }[],
  getBlob: (ref: BlobRef) => Promise<Uint8Array | null>,
): Promise<readonly { readonly path: string; readonly why: string }[]> {
  const folder = createSafeFolder(root);
  const refused: { path: string; why: string }[] = [];
  for (const { path, image } of files) {
    const why = await restore(folder, path, image, getBlob).catch((error: unknown) => toFailure(error).message);
    if (why !== null) refused.push({ path, why });
  }
  return refused;
}

async function restore(
  folder: SafeFolder,
  path: string,
  image: FileImage,
  getBlob: (ref: BlobRef) => Promise<Uint8Array | null>,
): Promise<string | null> {
  if (image === null) {
    if ((await folder.look(path)).type !== 'missing') await folder.remove(path, (now) => now.type === 'file');
    return null;
  }
  if (!image.kept) return 'its content was not kept';
  const bytes = await getBlob(image.blob);
  if (bytes === null) return 'its stored content is missing or damaged';
  const isDone = await folder.write(path, { bytes, mode: image.mode }, (now) => now.type !== 'other');
  return isDone ? null : 'something else is there';
}
