import { isAbsolute, join } from 'node:path';
import type { Settings } from '@shared/settings.ts';
import { AppError } from '@shared/errors.ts';
import { globMatcher } from '@shared/fences.ts';
import { scanWorkspace, type Mask, type WorkspaceScan } from '../workspace-scan.ts';

export interface ProjectSubject {
  /** A real path. */
  readonly workspacePath: string;
  readonly settings: Pick<Settings['sandbox'], 'unmask'>;
  readonly homePath: string;
  /** Globs of what a person does not want to be seen by any command. */
  readonly masks: readonly string[];
}

/** What was found in a project that has to be protected. */
export interface ProjectLook {
  /** What commands find empty, relative to the workspace. */
  readonly masks: readonly Mask[];
  readonly warnings: readonly string[];
}

/** More mounts than this slow every start down. */
const maxMasks = 200;
const shownPaths = 5;

/** Finds what has to be hidden or held in a project before a container gets it, and says so in words. */
export async function lookAt(subject: ProjectSubject, signal: AbortSignal): Promise<ProjectLook> {
  const { workspacePath } = subject;
  const fits = subject.masks.map(globMatcher);
  const scan = await scanWorkspace(workspacePath, signal, (path) => fits.some((fit) => fit(path)));
  const { masked } = scan;
  checkMasks(scan, subject);
  const shown = unmasked(subject);
  const sockets = scan.sockets.filter((path) => !shown.has(path));
  const secrets = scan.secrets.filter((path) => !shown.has(path));
  const hidden = [...sockets, ...secrets];
  const warnings: string[] = masked.length === 0 ? [] : [maskedText(masked)];
  if (sockets.length > 0)
    warnings.push(hiddenText('a program of this machine can be reached by them', sockets, subject));
  if (secrets.length > 0) warnings.push(hiddenText('they hold secrets', secrets, subject));
  const room = maxMasks - masked.length;
  if (hidden.length > room) warnings.push(`Only the first ${room} of them are.`);
  if (scan.unnamed > 0) {
    const what = scan.unnamed === 1 ? 'name of a file or folder is' : 'names of files or folders are';
    warnings.push(
      `${scan.unnamed} ${what} no text (UTF-8): commands see what is in there, also secrets, and what they change in it cannot be taken over or back.`,
    );
  }
  if (scan.isCut)
    warnings.push('The project is too large to look through whole: files with secrets may not be hidden.');
  return {
    masks: [...masked, ...hidden.slice(0, room).map((path) => ({ path, kind: 'file' }) as const)],
    warnings,
  };
}

/** What a person wants to be hidden is hidden, or nothing runs. */
function checkMasks({ masked, unnamed, isCut }: WorkspaceScan, { masks }: ProjectSubject): void {
  const hint = 'Mask a folder that holds them all, in your rules.';
  if (masked.length > maxMasks) {
    throw new AppError('refused', `Your rules mask ${masked.length} files and folders; at most ${maxMasks} can be.`, {
      hint,
    });
  }
  if (unnamed > 0 && masks.length > 0) {
    throw new AppError(
      'refused',
      'Your rules mask files, and some names here are no text (UTF-8): those cannot be hidden.',
      {
        hint: 'Rename them, or take the mask rules out.',
      },
    );
  }
  if (isCut && masks.length > 0) {
    throw new AppError('refused', 'This project is too large to look through whole, and your rules mask files in it.', {
      hint: 'Take the mask rules out, or work on a smaller folder.',
    });
  }
}

function maskedText(masked: readonly Mask[]): string {
  const more = masked.length > shownPaths ? ` and ${masked.length - shownPaths} more` : '';
  const names = masked.slice(0, shownPaths).map(({ path, kind }) => (kind === 'folder' ? `${path}/` : path));
  return `Masked by rules (commands find them empty): ${names.join(', ')}${more}. What git has stored of them stays readable.`;
}

/** Relative paths that a person wants to be seen. In the settings they are whole, or for every project without the folder. */
function unmasked({ workspacePath, settings }: ProjectSubject): ReadonlySet<string> {
  const inside = settings.unmask.map((path) =>
    path.startsWith(`${workspacePath}/`) ? path.slice(workspacePath.length + 1) : path.replace(/^\.\//, ''),
  );
  return new Set(inside.filter((path) => !isAbsolute(path)));
}

function hiddenText(
  why: string,
  paths: readonly string[],
  { workspacePath, homePath }: Pick<ProjectSubject, 'workspacePath' | 'homePath'>,
): string {
  const more = paths.length > shownPaths ? ` and ${paths.length - shownPaths} more` : '';
  const [first = ''] = paths;
  // A copy lies in a folder that nobody knows by name.
  const example = workspacePath.startsWith(`${homePath}/`) ? first : join(workspacePath, first);
  return `Hidden, because ${why} (commands find them empty): ${paths.slice(0, shownPaths).join(', ')}${more}. To show one: dewpoint settings set sandbox.unmask '${JSON.stringify([example])}'`;
}
