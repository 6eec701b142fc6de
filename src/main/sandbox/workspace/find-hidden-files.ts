import { basename, dirname, isAbsolute, join } from 'node:path';
import type { Settings } from '@shared/settings/settings.ts';
import { AppError } from '@shared/errors.ts';
import { globMatcher } from '@shared/safety/fences.ts';
import { callFolder } from '@shared/sandbox/call-file.ts';
import { askDrive } from '../../lib/files/served-drives.ts';
import { projectKey } from '../../lib/files/project-key.ts';
import { scanWorkspace, type Mask, type WorkspaceScan } from './workspace-scan.ts';
import { identityOf, statsBelow } from './file-identity.ts';
import { stillHidden, type FoundMask, type KnownMask, type StillHidden } from './still-hidden.ts';
import { textOf } from './repositories/named-by-config.ts';

export interface HiddenFilesQuery {
  /** A real path. */
  readonly workspacePath: string;
  readonly settings: Pick<Settings['sandbox'], 'unmask'>;
  readonly homePath: string;
  /** Globs of files that the user hides from all commands. */
  readonly masks: readonly string[];
  /** The project that the workspace is a copy of. */
  readonly projectPath?: string | null;
  /** False for a further look of the same session. See `StillHiddenQuery`. */
  readonly seeksAway?: boolean;
  /** When this session first looked. See `StillHiddenQuery`. */
  readonly since?: number;
}

/** What a project contains that must be protected. */
export interface HiddenFiles {
  /** What commands find empty, relative to the workspace. */
  readonly masks: readonly KnownMask[];
  /** Paths that were hidden once, and where nothing is now. */
  readonly away: readonly string[];
  readonly warnings: readonly string[];
}

/** More mounts than this would slow down every start. */
const maxMasks = 200;
const shownPaths = 5;

/**
 * Finds what must be hidden or protected in a project before a container gets it, with warnings. Throws `refused` if
 * something cannot be hidden, and `timeout` if its drive falls silent. Then nothing runs.
 */
export async function findHiddenFiles(subject: HiddenFilesQuery, signal: AbortSignal): Promise<HiddenFiles> {
  const { workspacePath } = subject;
  return askDrive(workspacePath, () => findOnDrive(subject, signal), { signal });
}

async function findOnDrive(subject: HiddenFilesQuery, signal: AbortSignal): Promise<HiddenFiles> {
  const { workspacePath } = subject;
  const fits = [...subject.masks, callFolder].map(globMatcher);
  const scan = await scanWorkspace(workspacePath, signal, (path) => fits.some((fit) => fit(path)));
  checkWhole(scan, subject);
  const { masked } = scan;
  const shown = await unmasked(subject);
  const sockets = scan.sockets.filter((path) => !shown.has(path));
  const secrets = scan.secrets.filter((path) => !shown.has(path));
  const closed = scan.closed.filter((path) => !shown.has(path));
  const byRules = masked.filter(({ path }) => path !== callFolder);
  const warnings: string[] = byRules.length === 0 ? [] : [maskedText(byRules)];
  if (sockets.length > 0) warnings.push(hiddenText('they lead to a program of this machine', sockets, subject));
  if (secrets.length > 0) warnings.push(hiddenText('they hold secrets', secrets, subject));
  if (closed.length > 0)
    warnings.push(hiddenText('their permissions do not allow a check for secrets', closed, subject));
  const logins = await findGitLogins(workspacePath, scan.gitFolders);
  if (logins.length > 0)
    warnings.push(
      `Commands can read a login of git, which cannot be hidden without breaking git: ${firstOf(logins)}. Remove it (git remote set-url NAME ADDRESS), and let git ask or use its credential helper.`,
    );
  if (scan.unnamed > 0) {
    const what = scan.unnamed === 1 ? 'name of a file or folder is' : 'names of files or folders are';
    warnings.push(
      `${scan.unnamed} ${what} not UTF-8 text: commands see the contents, and changes there cannot be taken or undone.`,
    );
  }
  const fixed = [...masked, ...foldersAt(closed), ...filesAt(sockets)];
  const found: readonly FoundMask[] = [
    ...masked.map((mask) => ({ ...mask, why: 'rule' as const })),
    ...[...foldersAt(closed), ...filesAt(sockets)].map((mask) => ({ ...mask, why: 'other' as const })),
    ...masksOf(secrets, scan, maxMasks - fixed.length).map((mask) => ({ ...mask, why: 'secret' as const })),
  ];
  const { projectPath = null, seeksAway = true, since = null, homePath } = subject;
  const isMasked = (path: string): boolean => fits.some((fit) => fit(path));
  const isShown = (path: string): boolean => shown.has(path);
  const place = { workspacePath, homePath, projectPath, seeksAway, since };
  const { masks, moved, away } = await stillHidden({ ...place, found, isMasked, isShown }, signal);
  if (masks.length > maxMasks) throw tooManyMoved(moved);
  if (moved.length > 0) warnings.push(movedText(moved, subject));
  const open = await shownByCase(workspacePath, masks);
  if (open !== null)
    warnings.push(
      `This disk ignores the case of names, so a command can read hidden files by another spelling, such as ${open}. Move them out of the project to be safe.`,
    );
  return { masks, away, warnings };
}

const filesAt = (paths: readonly string[]): readonly Mask[] => paths.map((path) => ({ path, kind: 'file' }));
const foldersAt = (paths: readonly string[]): readonly Mask[] => paths.map((path) => ({ path, kind: 'folder' }));

function tooManyMoved(moved: StillHidden['moved']): AppError {
  return new AppError(
    'refused',
    `There is too much to hide in this project: ${moved.length} files were hidden before and then moved (${firstOf(moved.map(({ path }) => path))}), and at most ${maxMasks} files and folders can be hidden.`,
    { hint: 'Mask the folder that they are in now in your rules, or move them back.' },
  );
}

/** Another spelling that leads to a hidden file on this disk, while a mount covers only the one. Null: it tells names apart. */
async function shownByCase(workspacePath: string, masks: readonly KnownMask[]): Promise<string | null> {
  for (const { path, identity } of masks) {
    const upper = path.toUpperCase();
    const other = upper === path ? path.toLowerCase() : upper;
    if (other === path || masks.some((mask) => mask.path === other)) continue;
    const stats = await statsBelow(workspacePath, other, 'waiting');
    return stats !== null && identityOf(stats) === identity ? shortPath(other) : null;
  }
  return null;
}

/** Hides each file alone if there are few enough. Otherwise hides whole folders that contain only secrets. */
function masksOf(secrets: readonly string[], scan: WorkspaceScan, room: number): readonly Mask[] {
  if (secrets.length <= room) return filesAt(secrets);
  const hidden = new Set(secrets);
  // A folder with a file that the user wants to show is not hidden as a whole.
  const folders = scan.secretFolders.filter((folder) =>
    scan.secrets.every((path) => !path.startsWith(`${folder}/`) || hidden.has(path)),
  );
  const isInside = (path: string): boolean => folders.some((folder) => path.startsWith(`${folder}/`));
  const single = secrets.filter((path) => !isInside(path));
  if (folders.length + single.length <= room) return [...foldersAt(folders), ...filesAt(single)];
  throw new AppError(
    'refused',
    `There is too much to hide in this project: ${secrets.length} files hold secrets (${firstOf(secrets)}), and at most ${maxMasks} files and folders can be hidden.`,
    {
      hint: 'Mask a folder with many of them in your rules, list what models may see in sandbox.unmask, or work on a smaller folder.',
    },
  );
}

/** Throws if anything that must be hidden cannot be. Then nothing runs. */
function checkWhole(
  { masked, unnamed, unnamedSecrets, sockets, closed, cut }: WorkspaceScan,
  { masks }: HiddenFilesQuery,
): void {
  const refuse = (text: string, hint: string): never => {
    throw new AppError('refused', text, { hint });
  };
  if (cut !== null) {
    const where = cut.folder === '' ? '' : ` (it stopped in ${shortPath(cut.folder)})`;
    const why = cut.why === 'depth' ? 'has folders that are too deep' : 'has too many files';
    refuse(
      `This project ${why} to check for secrets${where}, so nothing runs in it.`,
      `Mask the ${cut.why === 'depth' ? 'deep' : 'large'} folder in your rules, or work on a smaller folder.`,
    );
  }
  if (masked.length + sockets.length + closed.length > maxMasks) {
    refuse(
      `Your rules mask ${masked.length} files and folders, and ${sockets.length + closed.length} sockets and closed folders must be hidden. The limit is ${maxMasks}.`,
      'Mask a folder that holds them all in your rules.',
    );
  }
  if (unnamedSecrets.length > 0) {
    refuse(
      `These hold secrets and cannot be hidden, because their names are not UTF-8 text: ${firstOf(unnamedSecrets)}.`,
      'Rename them, or the folders that they are in.',
    );
  }
  if (unnamed > 0 && masks.length > 0) {
    refuse(
      'Your rules mask files, but some names here are not UTF-8 text and cannot be hidden.',
      'Rename them, or remove the mask rules.',
    );
  }
}

function firstOf(paths: readonly string[]): string {
  const more = paths.length > shownPaths ? ` and ${paths.length - shownPaths} more` : '';
  return `${paths.slice(0, shownPaths).map(shortPath).join(', ')}${more}`;
}

function shortPath(path: string): string {
  return path.length > 120 ? `${path.slice(0, 120)}…` : path;
}

function maskedText(masked: readonly Mask[]): string {
  const names = masked.map(({ path, kind }) => (kind === 'folder' ? `${path}/` : path));
  return `Masked by rules (commands find them empty): ${firstOf(names)}. What git has stored of them stays readable.`;
}

/**
 * Relative paths that the user wants to show. In the settings they are full paths, or relative ones that apply to
 * every project.
 */
async function unmasked({ workspacePath, settings }: HiddenFilesQuery): Promise<ReadonlySet<string>> {
  const shown = new Set<string>();
  const project = await projectKey(workspacePath);
  for (const path of settings.unmask) {
    if (!isAbsolute(path)) {
      shown.add(path.replace(/^\.\//, ''));
      continue;
    }
    // The file itself may be a link, or gone.
    const file = join(await projectKey(dirname(path)), basename(path));
    if (file.startsWith(`${project}/`)) shown.add(file.slice(project.length + 1));
  }
  return shown;
}

function movedText(moved: StillHidden['moved'], subject: HiddenFilesQuery): string {
  const names = moved.map(({ path, judgedAs }) => `${path} (hidden before as ${judgedAs})`);
  return `Still hidden, although the name is another one: ${firstOf(names)}. To show one: ${showCommand(moved[0]?.path ?? '', subject)}`;
}

function hiddenText(
  why: string,
  paths: readonly string[],
  subject: Pick<HiddenFilesQuery, 'workspacePath' | 'homePath'>,
): string {
  return `Hidden, because ${why} (commands find them empty): ${firstOf(paths)}. To show one: ${showCommand(paths[0] ?? '', subject)}`;
}

function showCommand(
  path: string,
  { workspacePath, homePath }: Pick<HiddenFilesQuery, 'workspacePath' | 'homePath'>,
): string {
  // A copy is in a folder that users do not know by name.
  const example = workspacePath.startsWith(`${homePath}/`) ? path : join(workspacePath, path);
  return `dewpoint settings set sandbox.unmask '${JSON.stringify([example])}'`;
}

/**
 * Git configurations that contain logins, each with its sections: `.git/config (remote origin)`. Git needs the file,
 * so it cannot be hidden from commands. The login itself is never in the result.
 */
export async function findGitLogins(workspacePath: string, gitFolders: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const folder of gitFolders) {
    const sections = sectionsWithLogin(await textOf(workspacePath, `${folder}/config`));
    if (sections.length > 0) found.push(`${folder}/config (${sections.join(', ')})`);
  }
  return found;
}

function sectionsWithLogin(text: string): readonly string[] {
  const sections = new Set<string>();
  let section = '';
  for (const line of text.split('\n')) {
    const header = /^\s*\[\s*([\w.-]{1,64})(?:\s+"([\w./-]{1,64}))?/.exec(line);
    if (header !== null) section = [header[1], header[2]].filter((part) => part !== undefined).join(' ');
    if (isLogin(line)) sections.add(section);
  }
  return [...sections];
}

/** A password in an address, a user name there that is long enough to be a token, or a header that logs in. */
function isLogin(line: string): boolean {
  return (
    /[a-z]:\/\/[^\s/@:]{0,256}:[^\s/@]{1,1024}@/i.test(line) ||
    /[a-z]:\/\/[^\s/@:]{20,1024}@/i.test(line) ||
    /extraheader\s{0,16}=\s{0,16}"?authorization:/i.test(line)
  );
}
