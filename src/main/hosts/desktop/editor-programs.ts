import { join } from 'node:path';
import { AppError } from '@shared/errors.ts';
import type { EditorId } from '@shared/settings/known-editors.ts';
import type { HostPrograms } from '../../lib/programs/host-programs.ts';
import { programAt } from '../../lib/programs/search-path.ts';

export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
}

interface EditorProgram {
  /** Its names on PATH. */
  readonly names: readonly string[];
  /** Relative to the applications folder (macOS), or to a program folder (Windows). */
  readonly mac: string;
  readonly windows: string;
  /** Absolute paths (Linux). */
  readonly linux: readonly string[];
  readonly args: (path: string, line: number | null) => readonly string[];
}

const afterColon = (path: string, line: number | null): readonly string[] => [line === null ? path : `${path}:${line}`];
const withGoto = (path: string, line: number | null): readonly string[] =>
  line === null ? [path] : ['--goto', `${path}:${line}`];
const withLine = (path: string, line: number | null): readonly string[] =>
  line === null ? [path] : ['--line', String(line), path];

const ofCode = (name: string, title: string, folder: string): Omit<EditorProgram, 'linux'> => ({
  names: [name],
  mac: `${title}.app/Contents/Resources/app/bin/${name}`,
  // The command on PATH needs a shell there, so the program itself is named.
  windows: `${folder}\\${folder === 'Microsoft VS Code' ? 'Code' : title}.exe`,
  args: withGoto,
});

const ofJetBrains = (name: string, title: string): EditorProgram => ({
  names: [name, `${name}.sh`],
  mac: `${title}.app/Contents/MacOS/${name}`,
  windows: `JetBrains\\${title}\\bin\\${name}64.exe`,
  linux: [`/snap/bin/${name}`, `/opt/${name}/bin/${name}.sh`],
  args: withLine,
});

const programs: Readonly<Record<EditorId, EditorProgram>> = {
  vscode: {
    ...ofCode('code', 'Visual Studio Code', 'Microsoft VS Code'),
    linux: ['/usr/share/code/bin/code', '/snap/bin/code'],
  },
  cursor: { ...ofCode('cursor', 'Cursor', 'cursor'), linux: ['/usr/share/cursor/bin/cursor', '/opt/Cursor/cursor'] },
  zed: {
    names: ['zed', 'zeditor'],
    mac: 'Zed.app/Contents/MacOS/cli',
    windows: 'Zed\\bin\\zed.exe',
    linux: ['/usr/lib/zed/zed-editor', '/snap/bin/zed'],
    args: afterColon,
  },
  vscodium: {
    ...ofCode('codium', 'VSCodium', 'VSCodium'),
    linux: ['/usr/share/codium/bin/codium', '/snap/bin/codium'],
  },
  sublime: {
    names: ['subl'],
    mac: 'Sublime Text.app/Contents/SharedSupport/bin/subl',
    windows: 'Sublime Text\\subl.exe',
    linux: ['/opt/sublime_text/sublime_text', '/snap/bin/subl'],
    args: afterColon,
  },
  idea: ofJetBrains('idea', 'IntelliJ IDEA'),
  pycharm: ofJetBrains('pycharm', 'PyCharm'),
  webstorm: ofJetBrains('webstorm', 'WebStorm'),
  goland: ofJetBrains('goland', 'GoLand'),
};

/** The arguments of an editor's command for a file, given by its absolute path. */
export function editorArguments(id: EditorId, path: string, line: number | null): readonly string[] {
  return programs[id].args(path, line);
}

/** The absolute path of an editor: on PATH or at its usual place, never in a project. Null: it is not installed. */
export async function findEditor(
  id: EditorId,
  host: Pick<HostPrograms, 'find' | 'isOutside'>,
  machine: Machine,
): Promise<string | null> {
  for (const name of programs[id].names) {
    const found = await host.find(name);
    if (found !== null) return found;
  }
  for (const place of usualPlaces(programs[id], machine)) {
    if ((await programAt(place)) !== null && (await host.isOutside(place))) return place;
  }
  return null;
}

function usualPlaces({ mac, windows, linux }: EditorProgram, { platform, env }: Machine): readonly string[] {
  if (platform === 'darwin') {
    const own = env.HOME === undefined ? [] : [join(env.HOME, 'Applications')];
    return ['/Applications', ...own].map((folder) => join(folder, mac));
  }
  if (platform !== 'win32') return linux;
  const { LOCALAPPDATA: local, ProgramFiles: all } = env;
  return [
    local === undefined ? null : join(local, 'Programs', windows),
    all === undefined ? null : join(all, windows),
  ].filter((place) => place !== null);
}

/** The program that opens text files on this system, with its first arguments. */
export async function findSystemOpener(
  host: Pick<HostPrograms, 'find'>,
  { platform, env }: Machine,
): Promise<{ readonly program: string; readonly words: readonly string[] }> {
  // `-t` uses the default text editor, whatever program opens this kind of file.
  if (platform === 'darwin') return { program: '/usr/bin/open', words: ['-t'] };
  if (platform === 'win32') return { program: `${env.SystemRoot ?? 'C:\\Windows'}\\notepad.exe`, words: [] };
  const program = await host.find('xdg-open');
  if (program !== null) return { program, words: [] };
  throw new AppError('not-found', 'This system has no `xdg-open`, which opens files.', {
    hint: 'Choose an editor in the settings.',
  });
}
