import { AppError } from '@shared/errors.ts';
import type { ProgramReports } from '@shared/session/program-reports.ts';
import { programEndings, programLanguageOf, type ProgramLanguage } from '@shared/tools/program-tool.ts';
import type { ProgramWriter } from '@shared/tools/program-writer.ts';
import type { KeptNames } from '@shared/tools/kept-program.ts';
import type { AnnouncedCall, KeptVersion } from '@shared/tools/own-tool.ts';
import { approvalDiff } from '../connected/approval-diff.ts';
import { sha256Of } from '../../lib/sha256.ts';
import type { OwnToolNotes, OwnToolRecord } from './own-tool-record.ts';
import { forgetFile, keepApproval } from './own-tool-record.ts';
import type { ListedTool, OwnTools } from './own-tools.ts';
import { placeOf } from './own-tools.ts';
import { findHeader } from './read-declaration.ts';
import { headerBody } from './tool-header.ts';
import { removeToolFile, writeToolFile } from './write-tool-file.ts';

export interface KeptProgramsOptions {
  readonly home: string;
  readonly tools: OwnTools;
  readonly record: OwnToolRecord;
  /** Names that are in use, and by whom. */
  readonly taken: () => ReadonlyMap<string, string>;
  /** The programs of a session, from its log. */
  readonly programsOf: (sessionId: string) => Promise<ProgramReports>;
  /** The model of that writer and Dewpoint as they are today. Never rejects. */
  readonly writerToday: (writer: ProgramWriter | null) => Promise<ProgramWriter>;
  readonly now: () => number;
}

const mostVersions = 10;

interface Keeping extends KeptNames {
  readonly sessionId: string;
  readonly toolCallId: string;
}

/**
 * Writes a program of a session into its project's folder of tools, on the user's order: as a new tool, or as the next
 * version of one. It is approved, because exactly these bytes ran and were shown.
 */
export async function keepProgram(options: KeptProgramsOptions, keeping: Keeping) {
  const { sessionId, toolCallId, name } = keeping;
  const { projectPath, programs } = await options.programsOf(sessionId);
  const program = programs.find((one) => one.toolCallId === toolCallId);
  if (program === undefined || program.text === null)
    throw new AppError('not-found', 'The session has no such program. Nothing was kept.');
  if (program.end !== 'done')
    throw new AppError('bad-input', 'Only a program that ended well can be kept. Nothing was kept.');
  const place = placeOf(options, 'project', projectPath);
  if (projectPath === null || place === null)
    throw new AppError('bad-input', 'Its session has no project, so there is no folder of tools to keep it in.');
  const { tools, notes } = await options.tools.list(projectPath);
  const before = tools.find((one) => one.tool?.name === name && one.source === 'project') ?? null;
  const file = before?.file ?? `${name}${programEndings[program.language]}`;
  mustBeFree(options, { name, file }, tools, before);
  if (programLanguageOf(file) !== program.language)
    throw new AppError('conflict', `${name} is kept in another language. Nothing was kept.`, {
      hint: 'Choose another name.',
    });
  const version = nextVersion(notes, before);
  const text = keptText({ ...keeping, version, calls: program.calls, language: program.language, text: program.text });
  await writeToolFile(place, { file, text, isNew: before === null });
  const made = (await options.tools.list(projectPath)).tools.find(
    (one) => one.file === file && one.source === 'project',
  );
  if (made?.tool === null || made?.text !== text)
    throw new AppError('conflict', `${name} was written and is not as it was written. Look at it: dewpoint tools list`);
  await keepApproval(options.record, made);
  await keepVersion(options.record, made.path, {
    version,
    sha256: made.sha256,
    text,
    keptAt: options.now(),
    sessionId,
    writer: program.writer,
  });
  return { name, projectPath };
}

/** The number after all known versions. */
export function nextVersion(notes: OwnToolNotes, before: ListedTool | null): number {
  return 1 + Math.max(before?.tool?.declaration.version ?? 0, ...versionsIn(notes, before).map((one) => one.version));
}

export async function keepVersion(record: OwnToolRecord, path: string, kept: Omit<KeptVersion, 'diff'>): Promise<void> {
  await record.change((all) => ({
    ...all,
    versions: { ...all.versions, [path]: [...(all.versions[path] ?? []), kept].slice(-mostVersions) },
  }));
}

function mustBeFree(
  { taken }: KeptProgramsOptions,
  { name, file }: { readonly name: string; readonly file: string },
  tools: readonly ListedTool[],
  before: ListedTool | null,
): void {
  const owner = taken().get(name);
  if (owner !== undefined) throw new AppError('conflict', `The name ${name} is taken by ${owner}. Nothing was kept.`);
  const isTaken = tools.some((one) => one.tool?.name === name || one.file === file);
  if (before === null ? !isTaken : isProgram(before)) return;
  throw new AppError('conflict', `There is another tool ${name} already. Nothing was kept.`, {
    hint: 'Choose another name.',
  });
}

export function isProgram({ tool }: Pick<ListedTool, 'tool'>): boolean {
  return tool?.declaration.calls !== undefined;
}

interface KeptText extends KeptNames {
  readonly version: number;
  readonly calls: readonly AnnouncedCall[];
  readonly language: ProgramLanguage;
  readonly text: string;
}

function keptText({ description, version, calls, language, input_schema: schema, text }: KeptText): string {
  const said = { description, version, ...(schema === undefined ? {} : { input_schema: schema }), calls };
  const mark = language === 'python' ? '#' : '//';
  return [`${mark} /// dewpoint-tool`, ...headerBody(said, mark), `${mark} ///`, withoutHeader(text)].join('\n');
}

/** If the program was made from a kept one, the new header replaces the old one. */
function withoutHeader(text: string): string {
  const header = findHeader(text);
  if (header === null || 'problem' in header || header.begin > 0) return text;
  return text
    .split('\n')
    .slice(header.end + 1)
    .join('\n');
}

function versionsIn({ versions }: OwnToolNotes, one: Pick<ListedTool, 'path'> | null) {
  return one !== null && Object.hasOwn(versions, one.path) ? (versions[one.path] ?? []) : [];
}

/** Newest first. */
export function versionsOf({
  one,
  notes,
}: {
  readonly one: ListedTool;
  readonly notes: OwnToolNotes;
}): readonly KeptVersion[] {
  const versions = versionsIn(notes, one);
  return versions
    .map((version, at) => {
      const before = versions[at - 1];
      return { ...version, diff: before === undefined ? null : approvalDiff(before.text, version.text) };
    })
    .reverse();
}

/** Removes the file of a kept program and all that is recorded of it, if the file is still the one that was shown. */
export async function removeProgram(
  options: KeptProgramsOptions,
  one: ListedTool,
  { sha256, projectPath }: { readonly sha256: string; readonly projectPath: string },
): Promise<void> {
  const place = placeOf(options, one.source, projectPath);
  if (place === null || !isProgram(one))
    throw new AppError('bad-input', `${one.file} is no kept program. Delete its file yourself. Nothing was removed.`);
  if (sha256Of(one.text) !== sha256)
    throw new AppError('conflict', `${one.file} changed since you looked at it. Nothing was removed.`);
  await removeToolFile(place, one.file);
  await forgetFile(options.record, one.path);
}
