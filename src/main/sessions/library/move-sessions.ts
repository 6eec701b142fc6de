import { AppError, toFailure } from '@shared/errors.ts';
import type { SessionsOutcome } from '@shared/contract/sessions-contract.ts';
import type { MovePreview, ProjectHead } from '@shared/projects/project-page.ts';
import { projectLabel } from '@shared/projects/project-list.ts';
import { hasNoFolder, recordOfKey } from '@shared/projects/project-keys.ts';
import { isWithin } from '@shared/safety/fences.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import type { Settings } from '@shared/settings/settings.ts';
import { seenName } from '@shared/text/seen-text.ts';
import type { NewEvent } from '@shared/events/events.ts';
import { allOrNone, nothingToUndo, type WayBack } from '../../lib/async/all-or-none.ts';
import type { MoveProject, ProjectStore } from '../../projects/project-store.ts';
import type { SessionStore } from '../store/session-store.ts';
import { settingsForProject } from '../../settings/settings-for-project.ts';
import type { SettingsStore } from '../../settings/settings-store.ts';
import type { Journal } from '../journal/journal.ts';
import type { OpenSessions } from '../open/open-sessions.ts';
import { notMovable, projectOf } from '../open/session-project.ts';

export interface MoveOptions {
  readonly sessions: {
    readonly choices: Pick<OpenSessions['choices'], 'move'>;
    readonly openJournal: (sessionId: string) => Pick<Journal, 'state'> | null;
  };
  readonly store: { readonly view: (sessionId: string) => Promise<{ readonly state: SessionState }> };
  readonly book: Pick<ProjectStore, 'ensure' | 'instructions'>;
  readonly settings: Pick<SettingsStore, 'current'>;
}

interface ListedSessions {
  readonly list: () => Promise<readonly { readonly id: string; readonly projectPath: string | null }[]>;
}

export interface FolderMoveOptions {
  readonly store: ListedSessions;
  /** Deleted sessions, which can be restored. */
  readonly bin: ListedSessions & Pick<SessionStore, 'open'>;
  readonly sessions: Pick<OpenSessions, 'note'>;
}

export interface RestOptions {
  readonly store: ListedSessions;
  readonly sessions: Pick<OpenSessions, 'runner' | 'workFolders'> & {
    readonly sandboxes: Pick<OpenSessions['sandboxes'], 'rest'>;
  };
}

interface Move {
  readonly sessionIds: readonly string[];
  /** The key of a project; null: out of all. */
  readonly project: string | null;
}

/** Moves talks one after the other. Those that cannot be moved are returned with the reason. */
export async function moveSessions(
  { sessions, book }: Pick<MoveOptions, 'sessions' | 'book'>,
  { sessionIds, project: to }: Move,
  signal: AbortSignal,
): Promise<SessionsOutcome> {
  const head = to === null ? null : await book.ensure(to);
  const target = head === null ? null : { id: head.id, key: head.key, name: projectLabel(head) };
  const done: string[] = [];
  const refused: { sessionId: string; why: string }[] = [];
  for (const sessionId of new Set(sessionIds)) {
    signal.throwIfAborted();
    try {
      await sessions.choices.move(sessionId, target);
      done.push(sessionId);
    } catch (error) {
      refused.push({ sessionId, why: toFailure(error).message });
    }
  }
  return { done, refused };
}

/** What a move would change for each talk, in sentences for the user. `isNew`: into a project that does not exist yet. */
export async function previewMoves(
  options: MoveOptions,
  { sessionIds, project: to, isNew }: Move & { readonly isNew?: boolean | undefined },
  signal: AbortSignal,
): Promise<readonly MovePreview[]> {
  const settings = options.settings.current();
  const found = to === null ? null : await targetOf(options, settings, to);
  const outside = isNew === true ? 'In the new project' : 'Outside of a project';
  const place = found === null ? outside : `In ${seenName(found.name)}`;
  const previews: MovePreview[] = [];
  for (const sessionId of new Set(sessionIds)) {
    signal.throwIfAborted();
    try {
      const state = options.sessions.openJournal(sessionId)?.state() ?? (await options.store.view(sessionId)).state;
      const refused = notMovable(state);
      previews.push({ sessionId, refused, changes: refused === null ? changesBy(settings, state, found, place) : [] });
    } catch (error) {
      previews.push({ sessionId, refused: toFailure(error).message, changes: [] });
    }
  }
  return previews;
}

interface Target {
  readonly key: string;
  readonly name: string;
  readonly head: ProjectHead | null;
  readonly tokens: number;
}

async function targetOf({ book }: MoveOptions, settings: Settings, key: string): Promise<Target> {
  const entry = recordOfKey(settings.projects.records, key);
  if (entry === null && hasNoFolder(key)) throw new AppError('not-found', `The project "${key}" was not found.`);
  if (entry === null) return { key, name: projectLabel({ name: null, key }), head: null, tokens: 0 };
  const head = { ...entry.record, id: entry.id, key };
  return { key, name: projectLabel(head), head, tokens: (await book.instructions(head.id)).tokens };
}

function changesBy(settings: Settings, state: SessionState, to: Target | null, place: string): readonly string[] {
  const from = projectOf({ settings: () => settings }, state);
  const before = settingsForProject(settings, from);
  const after = settingsForProject(settings, to?.key ?? null);
  const { chosen, steps } = state;
  const cloud = steps.find(({ where }) => where === 'cloud')?.stage.model;
  const policy = chosen.policy ?? before.policy;
  const said = (words: string): string => `${place}, ${words}`;
  const changes: string[] = [];
  if (to !== null && to.tokens > 0)
    changes.push(said(`its instructions come with each message: about ${to.tokens} tokens.`));
  if (to === null && from !== null)
    changes.push('The instructions and the memory of its project no longer come with it.');
  if (after.policy === 'local' && (policy !== 'local' || cloud !== undefined))
    changes.push(
      said(
        `messages stay on this machine. This session ${cloud === undefined ? 'may use the cloud now' : `used the cloud model ${cloud}`}.`,
      ),
    );
  else if (after.policy !== policy) changes.push(said(`${policyWords[after.policy]}.`));
  const local = chosen.local ?? before.local;
  if (after.policy !== 'cloud' && after.local !== local) changes.push(said(`the local model is ${after.local}.`));
  const holdsIn = (key: string | null): typeof settings.fences.rules =>
    settings.fences.rules.filter(({ project }) => project !== undefined && isWithin(key, project));
  const fences = holdsIn(to?.key ?? null);
  if (fences.length > 0) changes.push(said('its fences hold, also for what was said before.'));
  if (holdsIn(from).some((rule) => !fences.includes(rule)))
    changes.push('The fences of its project no longer hold, also for what was said before.');
  const { assistant = null } = to?.head ?? {};
  if (assistant !== null && assistant !== chosen.assistant) changes.push(said(`the assistant "${assistant}" answers.`));
  else if (assistant === null && chosen.assistant !== undefined)
    changes.push(`The assistant "${chosen.assistant}" is no longer chosen.`);
  return changes;
}

const policyWords: Readonly<Record<string, string>> = {
  local: 'messages stay on this machine',
  cloud: 'messages go to the cloud',
  hybrid: 'messages stay local where possible, and may go to the cloud',
};

/** A session that works is not moved. One that rests starts anew where its folder lies then. */
export function restSessions({ store, sessions }: RestOptions): MoveProject {
  return async (from) => {
    const own = (await store.list()).filter(({ projectPath }) => projectPath === from);
    const working = own.find(({ id }) => sessions.runner(id)?.isRunning() === true);
    if (working !== undefined || sessions.workFolders().includes(from)) throw worksNow(working?.id);
    // One that is just starting, and one whose sandbox a person uses, do not rest.
    for (const { id } of own) if (!(await sessions.sandboxes.rest(id))) throw worksNow(id);
    return nothingToUndo;
  };
}

function worksNow(id: string | undefined): AppError {
  return new AppError('conflict', `A session works in the project now${id === undefined ? '' : `: ${id}`}.`, {
    hint: 'The project stays where it was. Cancel that work, then say again where the folder lies.',
  });
}

/**
 * Notes in each session of a project, also in those of the bin, that its folder lies elsewhere now. Safe to repeat: those
 * that know it are left alone. If one of them cannot be written now, it rejects with `conflict`, and all stay.
 */
export function moveFolderOfSessions(options: FolderMoveOptions): MoveProject {
  const { store, bin, sessions } = options;
  const noteInBin = async (id: string, event: (state: SessionState) => NewEvent | null): Promise<void> => {
    const journal = await bin.open(id);
    const moved = event(journal.state());
    await (moved === null ? Promise.resolve() : journal.append(moved)).finally(() => journal.close());
  };
  return async (from, to, signal) => {
    const places = [
      [store, sessions.note],
      [bin, noteInBin],
    ] as const;
    const steps: (() => Promise<WayBack>)[] = [];
    for (const [place, note] of places)
      for (const { id } of (await place.list()).filter(({ projectPath }) => projectPath === from))
        steps.push(async () => {
          signal.throwIfAborted();
          await note(id, movedFolder(from, to)).catch((cause: unknown) => {
            throw new AppError('conflict', `The session ${id} cannot be changed now: ${toFailure(cause).message}`, {
              hint: 'The project stays where it was. End what works on the session, then say again where the folder lies.',
              cause,
            });
          });
          return () => note(id, movedFolder(to, from));
        });
    return allOrNone(steps);
  };
}

function movedFolder(from: string, to: string): (state: SessionState) => NewEvent | null {
  return ({ projectPath }) => (projectPath === from ? { type: 'folder-moved', from, to } : null);
}
