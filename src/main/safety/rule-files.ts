import { hasNoFolder, needFolder } from '@shared/projects/project-keys.ts';
import { lstat, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { AppError } from '@shared/errors.ts';
import type { FenceRule } from '@shared/safety/fences.ts';
import type { RouteRule } from '@shared/routing/route-rules.ts';
import type { RuleCheck, RuleFile, RuleOwner } from '@shared/rules/rule-report.ts';
import type { RuleLine } from '@shared/rules/parse-rules.ts';
import { contradictionsIn, fenceRules, maskGlobs, parseRules, routeRules } from '@shared/rules/parse-rules.ts';
import { neverAborts } from '../lib/async/abort.ts';
import { nothingToUndo, type WayBack } from '../lib/async/all-or-none.ts';
import { withFileLock } from '../lib/files/file-lock.ts';
import { openFolderBelow } from '../lib/files/host-folder.ts';
import { makeFolder, readJsonFile, writeFileAtomic, writeJsonFile } from '../lib/files/json-file.ts';
import { askDrive } from '../lib/files/served-drives.ts';
import { sha256Of } from '../lib/sha256.ts';
import { sizeText } from '@shared/text/size-text.ts';
import { orNoted } from '../lib/log.ts';

/** All rules that apply to the sessions of a project now. */
export interface ActiveRules {
  /** Routing rules: the user's own first, then those of the project. */
  readonly places: readonly RouteRule[];
  readonly fences: readonly FenceRule[];
  /** Fences of a project whose rules are not approved. */
  readonly projectFences: readonly FenceRule[];
  readonly masks: readonly string[];
  /** Why nothing may leave this machine; null: it may. */
  readonly shut: string | null;
  /** Which parts of the files do not apply, and why. */
  readonly problems: readonly string[];
}

export interface RuleFiles {
  /** Reads the files again. Never rejects. */
  readonly activeRules: (projectPath: string | null) => Promise<ActiveRules>;
  /** Each file with its state and problems. */
  readonly files: (projectPath: string | null) => Promise<readonly RuleFile[]>;
  /** How a text would be read in place of a file, together with the other file. */
  readonly check: (target: RuleTarget, text: string) => Promise<RuleCheck>;
  /** The rules that would apply with this text in place of a file. */
  readonly draft: (target: RuleTarget, text: string) => Promise<ActiveRules>;
  /**
   * Writes a file that has no errors. `hash` is that of the text it replaces (null: there was none). Rejects with
   * `bad-input`, which names the first wrong line, or with `conflict` if the file was changed meanwhile.
   */
  readonly save: (target: RuleTarget, text: string, hash: string | null) => Promise<void>;
}

export interface RuleTarget {
  readonly owner: RuleOwner;
  readonly projectPath: string | null;
}

export interface RuleFilesOptions {
  readonly home: string;
  /** The SHA-256 that the user approved, by project folder. */
  readonly approved: () => Readonly<Record<string, string>>;
}

const ruleFileName = 'dewpoint.rules';
const names = { own: 'your rules', project: "the project's rules" } as const;
const maxBytes = 65_536;
const keptName = 'rules-kept.json';
const keptSchema = z.record(z.string(), z.string());
const rulesIn = (project: string): string => join(project, '.dewpoint', ruleFileName);

interface Read {
  readonly text: string | null;
  readonly hash: string | null;
  /** Why the file exists but could not be read. */
  readonly problem: string | null;
}

interface Held {
  readonly file: RuleFile;
  readonly rules: readonly RuleLine[];
  readonly isTrusted: boolean;
}

/**
 * The rules of the user and of the current project. A project's rules come from whoever wrote its files, so until the
 * user approves exactly these bytes, they can only make things stricter. A file with an error counts in its last valid
 * version, also after a restart. If the user's own file was never valid, nothing may leave this machine, because a
 * fence may be missing.
 */
export function createRuleFiles(options: RuleFilesOptions): RuleFiles {
  const keeper = createKeeper(join(options.home, keptName));
  const pathOf = ({ owner, projectPath }: RuleTarget): string => {
    if (owner === 'own') return join(options.home, ruleFileName);
    if (projectPath === null) throw new AppError('bad-input', 'Name the project of the rules.');
    needFolder(projectPath, 'its rules');
    return rulesIn(projectPath);
  };
  const hold = async (target: RuleTarget, draft?: string): Promise<Held> => {
    const path = pathOf(target);
    const read = draft === undefined ? await readRules(path) : readText(draft);
    const parsed = parseRules(read.text ?? '', names[target.owner]);
    const isRight = parsed.errors.length === 0 && read.problem === null;
    if (draft === undefined && isRight) await keeper.keep(path, read.text);
    const kept = isRight || draft !== undefined ? null : await keeper.last(path);
    const isApproved =
      target.owner === 'own' || (read.hash !== null && options.approved()[target.projectPath ?? ''] === read.hash);
    return heldOf({ target, path, read, parsed, kept, isApproved });
  };
  const all = async (projectPath: string | null, draft?: RuleTarget & { readonly text: string }): Promise<Held[]> => {
    // A project without a folder has no file.
    const hasFile = projectPath !== null && !hasNoFolder(projectPath);
    const owners: readonly RuleOwner[] = hasFile ? ['own', 'project'] : ['own'];
    const held: Held[] = [];
    for (const owner of owners) {
      held.push(await hold({ owner, projectPath }, draft?.owner === owner ? draft.text : undefined));
    }
    return held;
  };
  return {
    activeRules: async (projectPath) => holdingOf(await all(projectPath)),
    files: async (projectPath) => {
      const held = await all(projectPath);
      return held.map(({ file }) => ({ ...file, warnings: warningsFor(file.owner, held) }));
    },
    check: async (target, text) => {
      const held = await all(target.projectPath, { ...target, text });
      const { rules, errors } = parseRules(text, names[target.owner]);
      return { rules, errors, warnings: warningsFor(target.owner, held) };
    },
    draft: async (target, text) => holdingOf(await all(target.projectPath, { ...target, text })),
    save: async (target, text, hash) => {
      const path = pathOf(target);
      const [error] = parseRules(text, names[target.owner]).errors;
      if (error !== undefined) throw new AppError('bad-input', `Line ${error.line}: ${error.text}`);
      const now = await readRules(path);
      if (now.problem !== null) throw new AppError('refused', now.problem);
      if (now.hash !== hash) {
        const hint = 'Load the file again, then change it.';
        throw new AppError('conflict', `${path} was changed by something else. Nothing was written.`, {
          hint,
        });
      }
      await (target.owner === 'own' ? writeFileAtomic(path, text) : writeInProject(path, text));
      await keeper.keep(path, text);
    },
  };
}

interface Found {
  readonly target: RuleTarget;
  readonly path: string;
  readonly read: Read;
  readonly parsed: ReturnType<typeof parseRules>;
  /** Its last valid text; null if it is not needed or not known. */
  readonly kept: string | null;
  readonly isApproved: boolean;
}

function heldOf({ target, path, read, parsed, kept, isApproved }: Found): Held {
  const { owner } = target;
  const problems = [
    ...(read.problem === null ? [] : [read.problem]),
    ...parsed.errors.map(({ line, text }) => `Line ${line} of ${path}: ${text}`),
  ];
  const isRight = problems.length === 0;
  const rules = isRight ? parsed.rules : kept === null ? [] : parseRules(kept, names[owner]).rules;
  const base = { owner, path, text: read.text, hash: read.hash, ...parsed, warnings: [] };
  const file = (holds: RuleFile['holds'], ...more: readonly string[]): RuleFile => {
    return { ...base, holds, problems: [...problems, ...more] };
  };
  if (!isRight) {
    const [holds, text] =
      kept !== null
        ? (['before', 'Its last valid version stays in force.'] as const)
        : owner === 'own'
          ? (['shut', 'Until it is fixed, nothing leaves this machine.'] as const)
          : (['none', 'None of its rules applies.'] as const);
    // The approval is for other bytes than those that apply now.
    const held = owner === 'own' ? rules : stricter(rules);
    const whole = holds === 'before' ? { ...file(holds, text), held } : file(holds, text);
    return { file: whole, rules: held, isTrusted: owner === 'own' };
  }
  if (read.text === null) return { file: file('none'), rules: [], isTrusted: true };
  if (isApproved) return { file: file('as-written'), rules, isTrusted: true };
  const heeded = stricter(rules);
  const left = rules.length - heeded.length;
  const ignored = `${path}: ${left === 1 ? '1 rule waits' : `${left} rules wait`} for your approval. Until then, only its stricter rules apply.`;
  return { file: left === 0 ? file('stricter') : file('stricter', ignored), rules: heeded, isTrusted: false };
}

/** Only stricter rules, without text patterns: a hostile pattern could keep this machine busy for hours. */
function stricter(rules: readonly RuleLine[]): readonly RuleLine[] {
  return rules.filter(({ verdict, kind }) => verdict !== 'cloud' && verdict !== 'allow' && kind !== 'text');
}

function holdingOf(held: readonly Held[]): ActiveRules {
  const rules = held.flatMap((one) => one.rules);
  const trusted = held.filter(({ isTrusted }) => isTrusted).flatMap((one) => one.rules);
  const brought = held.filter(({ isTrusted }) => !isTrusted).flatMap((one) => one.rules);
  const shut = held.find(({ file }) => file.holds === 'shut')?.file ?? null;
  return {
    places: routeRules(rules),
    fences: fenceRules(trusted),
    projectFences: fenceRules(brought),
    masks: maskGlobs(rules),
    shut: shut === null ? null : `${shut.path} has an error and no valid version`,
    problems: held.flatMap(({ file }) => file.problems),
  };
}

function warningsFor(owner: RuleOwner, held: readonly Held[]): RuleCheck['warnings'] {
  const rules = held.flatMap(({ file }) => file.rules);
  const from = ` of ${names[owner]}`;
  return contradictionsIn(rules)
    .filter((warning) => warning.from.endsWith(from))
    .map(({ line, text }) => ({ line, text }));
}

const readText = (text: string): Read => ({ text, hash: sha256Of(text), problem: null });

/** Reads only a regular file of limited size, because a path in a project may be a link to anything. */
/** A command may put a link in place of the folder at any moment, so the file is written in the folder that was opened. */
async function writeInProject(path: string, text: string): Promise<void> {
  // In a project, this is an ordinary folder.
  await makeFolder(dirname(path), 0o777);
  const folder = await openFolderBelow(dirname(dirname(path)), [basename(dirname(path))]);
  if (folder === null)
    throw new AppError('refused', `${dirname(path)} is a link or no folder. Nothing was written.`, {
      hint: 'Replace it by an ordinary folder.',
    });
  await writeFileAtomic(folder.at(ruleFileName), text).finally(() => folder.close());
}

/** Rejects with `timeout` if the drive of the project is silent: what it forbids is not known then. */
async function readRules(path: string): Promise<Read> {
  return askDrive(dirname(path), () => readOnDrive(path));
}

async function readOnDrive(path: string): Promise<Read> {
  try {
    if (dirname(path).endsWith('.dewpoint') && (await lstat(dirname(path))).isSymbolicLink()) {
      return { text: null, hash: null, problem: `${dirname(path)} is a link, and Dewpoint does not follow it.` };
    }
    const stat = await lstat(path);
    if (!stat.isFile())
      return { text: null, hash: null, problem: `${path} is not a plain file, and Dewpoint does not read it.` };
    if (stat.size > maxBytes)
      return {
        text: null,
        hash: null,
        problem: `${path} is longer than ${sizeText(maxBytes)}, and Dewpoint does not read it.`,
      };
    const bytes = await readFile(path);
    return { text: bytes.toString('utf8'), hash: sha256Of(bytes), problem: null };
  } catch (error) {
    const isThere = await lstat(path).then(
      () => true,
      () => false,
    );
    const why = error instanceof Error ? error.message : String(error);
    return { text: null, hash: null, problem: isThere ? `${path} cannot be read: ${why}` : null };
  }
}

/** The folder of a project lies elsewhere now. Its last valid rules hold there, too. Safe to repeat. */
export async function moveKeptRules(home: string, from: string, to: string): Promise<WayBack> {
  const place = join(home, keptName);
  const [old, next] = [rulesIn(from), rulesIn(to)];
  const read = async (): Promise<Record<string, string>> => {
    const file = await readJsonFile(place, (value) => keptSchema.parse(value));
    return file.type === 'value' ? file.value : {};
  };
  return alone(place, async () => {
    const { [old]: moved, ...others } = await read();
    if (moved === undefined) return nothingToUndo;
    await writeJsonFile(place, { [next]: moved, ...others });
    return () =>
      alone(place, async () => {
        const { [next]: there, ...rest } = await read();
        const own = next in others && there !== undefined ? { [next]: there } : {};
        await writeJsonFile(place, { ...rest, ...own, [old]: moved });
      });
  });
}

/** Sessions of any process keep rules in this file. */
function alone<T>(place: string, work: () => Promise<T>): Promise<T> {
  return withFileLock(`${place}.lock`, { signal: neverAborts, onWait: () => undefined }, work);
}

interface Keeper {
  /** Stores the text of a valid file, or that there is none. */
  readonly keep: (path: string, text: string | null) => Promise<void>;
  readonly last: (path: string) => Promise<string | null>;
}

/** The last valid text of each file, on disk, for restarts and other processes. */
function createKeeper(place: string): Keeper {
  let known = new Map<string, string>();
  const load = async (): Promise<Map<string, string>> => {
    const file = await readJsonFile(place, (value) => keptSchema.parse(value));
    if (file.type === 'value') known = new Map(Object.entries(file.value));
    return known;
  };
  let isLoaded = false;
  return {
    last: async (path) => (await load()).get(path) ?? null,
    keep: async (path, text) => {
      if (!isLoaded) await load();
      isLoaded = true;
      if ((known.get(path) ?? null) === text) return;
      // If this fails, a file that is broken later blocks more than it has to, never less.
      await alone(place, async () => {
        const all = await load();
        if (text === null) all.delete(path);
        else all.set(path, text);
        await writeJsonFile(place, Object.fromEntries(all));
      }).catch(orNoted('The last valid rules were not saved', undefined));
    },
  };
}
