import type { Attachment } from '@shared/attachments/attachment.ts';
import type { ForkOutcome, RestoreChoice } from '@shared/contract/sessions-contract.ts';
import { fileNameOf } from '@shared/text/file-name-of.ts';
import { seenName } from '@shared/text/seen-text.ts';
import type { RunOptions } from '@shared/session/run-options.ts';
import { planMessage } from '@shared/session/plan-steps.ts';
import { keptOptions } from '../models/session-choice.ts';
import { interactiveOptions } from './interactive-options.ts';
import type { CoreClient } from '../connection/core-client.ts';
import { announce } from '../notices/announce.ts';
import { failureText } from '../connection/failure-text.ts';
import { offerUndo } from '../notices/offer-undo.ts';
import { saveText } from '../text/save-text.ts';
import { plural, t } from '../text/translate.ts';
import { type NamedText, zipTexts } from '../text/zip-texts.ts';
import type { View } from '../window/use-view.ts';

interface Reach {
  readonly client: CoreClient;
  readonly navigate: (view: View) => void;
}

export type ForkAt = { readonly before: string } | { readonly after: string };

/** The options of a message: what was chosen for it, its limits, and who wrote it. */
export type SendOptions = Partial<Omit<RunOptions, 'network'>>;

/** Announces a failure, and messages worth reading. Returns false after a failure. */
async function runAnnouncingFailure(work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    announce({ kind: 'error', text: failureText(error) });
    return false;
  }
}

/** Forks a session at a point and shows the fork. With a text, the fork begins with that message. */
export function forkSession(
  { client, navigate }: Reach,
  sessionId: string,
  at: ForkAt | null,
  next: {
    readonly text: string;
    readonly options: SendOptions;
    readonly attachments?: readonly Attachment[];
    /** It is another answer in the same talk, and no entry of its own in the list. */
    readonly isBranch?: boolean;
  } | null = null,
): Promise<boolean> {
  return runAnnouncingFailure(async () => {
    const isBranch = next?.isBranch === true;
    const forked = await client.sessions.fork({ sessionId, ...(at === null ? {} : { at }), isBranch });
    navigate({ type: 'session', sessionId: forked.sessionId });
    // The switch at the answer says that there are branches. What became of files is worth a word.
    if (!isBranch || forked.files?.place === 'copy') announce({ kind: 'info', text: forkedText(forked, isBranch) });
    if (next === null) return;
    const { text, options, attachments = [] } = next;
    await client.sessions.send({
      sessionId: forked.sessionId,
      text,
      options: { ...interactiveOptions, ...options },
      attachments: [...attachments],
    });
  });
}

/** Says that the original is kept, and what happened to files that have changed since that point. */
function forkedText({ notRestored, files }: ForkOutcome, isBranch: boolean): string {
  const where =
    files === undefined || files.place === 'same'
      ? []
      : [files.restored === 0 ? t('fork.copy') : plural('fork.copyRestored', files.restored)];
  const paths = notRestored.map(({ path }) => seenName(path)).join(', ');
  const lost = notRestored.length === 0 ? [] : [`${plural('fork.notRestored', notRestored.length)} ${paths}`];
  return [t(isBranch ? 'fork.branch' : 'fork.done'), ...where, ...lost].join(' ');
}

/** Saves the user's version of a plan's steps. Rejects with a failure of the core. */
export async function savePlan(
  client: CoreClient,
  {
    sessionId,
    turnId,
    steps,
  }: { readonly sessionId: string; readonly turnId: string; readonly steps: readonly string[] },
): Promise<void> {
  await client.sessions.editPlan({ sessionId, turnId, steps: [...steps] });
}

interface PlanToStart {
  readonly sessionId: string;
  readonly turnId: string;
  /** The steps to carry out. */
  readonly made: readonly string[];
  /** The same, if they must be saved first; null: the log already has them. */
  readonly steps: readonly string[] | null;
}

/** Starts a plan. Rejects with a failure of the core. */
export async function startPlan(client: CoreClient, { sessionId, turnId, made, steps }: PlanToStart): Promise<void> {
  if (steps !== null) await savePlan(client, { sessionId, turnId, steps });
  await client.sessions.send({
    sessionId,
    text: planMessage(made),
    options: { ...interactiveOptions, ...keptOptions(sessionId), mode: 'work' },
  });
}

/** Restores a session to a checkpoint, and offers to undo that. Rejects with a failure of the core. */
export async function restoreSession(client: CoreClient, sessionId: string, choice: RestoreChoice): Promise<void> {
  const { restoreId, kept } = await client.changes.restore({ sessionId, ...choice });
  const stay = kept.length === 0 ? [] : [plural('restored.kept', kept.length)];
  const text = [t('restored.said'), ...stay].join(' ');
  if (restoreId === null) {
    announce({ kind: 'info', text });
    return;
  }
  const { files, conversation } = choice;
  offerUndo(text, () => client.changes.restore({ sessionId, checkpoint: restoreId, files, conversation }));
}

/** Moves a session to the bin, with Undo. */
export function deleteSession({ client, navigate }: Reach, sessionId: string): Promise<boolean> {
  const restore = async (): Promise<void> => {
    await client.sessions.restore({ id: sessionId });
    navigate({ type: 'session', sessionId });
  };
  return runAnnouncingFailure(async () => {
    await client.sessions.delete({ sessionId });
    navigate({ type: 'new' });
    offerUndo(t('bin.moved'), restore);
  });
}

export function exportSession({ client }: Reach, sessionId: string): Promise<boolean> {
  return runAnnouncingFailure(async () => {
    const { path, missing, branches } = await client.host.exportSession({ sessionId });
    if (path === null) return;
    announce({ kind: 'info', text: t('export.done', { path: seenName(path) }) + leftOut({ missing, branches }) });
  });
}

/** The forms that a browser downloads. */
export const downloadForms = ['page', 'markdown', 'calls'] as const;
const endings = { page: 'html', markdown: 'md', calls: 'jsonl' } as const;

/** Saves the session as a text where the browser saves files. Nothing is saved before all of it came. */
export function downloadSession(
  { client }: Reach,
  sessionId: string,
  form: (typeof downloadForms)[number],
): Promise<boolean> {
  return runAnnouncingFailure(async () => {
    const { name, texts, ...end } = await readDownload(client, sessionId, form);
    saveText(texts, name);
    announce({ kind: 'info', text: t(`export.downloaded.${form}`, { name: seenName(name) }) + leftOut(end) });
  });
}

/** Saves several sessions as one archive, a page of each. Nothing is saved before all of them came. */
export function downloadSessions(client: CoreClient, sessionIds: readonly string[]): Promise<boolean> {
  return runAnnouncingFailure(async () => {
    const files: NamedText[] = [];
    let [missing, branches] = [0, 0];
    for (const sessionId of sessionIds) {
      const one = await readDownload(client, sessionId, 'page');
      files.push({ name: one.name, text: one.texts.join('') });
      missing += one.missing;
      branches += one.branches;
    }
    const name = t('export.archive');
    saveText([zipTexts(files)], name);
    announce({
      kind: 'info',
      text: plural('export.downloaded.archive', files.length, { name }) + leftOut({ missing, branches }),
    });
  });
}

/** The text of a session. Rejects if its end did not come. */
async function readDownload(client: CoreClient, sessionId: string, form: (typeof downloadForms)[number]) {
  const { title } = await client.sessions.find({ id: sessionId });
  const texts: string[] = [];
  for await (const piece of await client.sessions.download({ sessionId, form })) {
    if (piece.type === 'text') texts.push(piece.text);
    else return { ...piece, texts, name: `${fileNameOf(title)}.${endings[form]}` };
  }
  throw new Error(t('export.cut'));
}

function leftOut({ missing, branches }: { readonly missing: number; readonly branches: number }): string {
  const others = branches === 0 ? '' : ` ${plural('export.branches', branches)}`;
  return others + (missing === 0 ? '' : ` ${plural('export.missing', missing)}`);
}

export function importSession({ client, navigate }: Reach): Promise<boolean> {
  return runAnnouncingFailure(async () => {
    const { sessionId } = await client.host.importSession();
    if (sessionId !== null) navigate({ type: 'session', sessionId });
  });
}

/** Opens another window of the app, with a session if one is given. */
export function openWindow({ client }: Reach, sessionId?: string): Promise<boolean> {
  return runAnnouncingFailure(() => client.host.openWindow({ sessionId }));
}
