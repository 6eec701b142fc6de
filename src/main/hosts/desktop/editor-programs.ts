import { join } from 'node:path';
import { AppError } from '@shared/errors.ts';
import type { EditorId } from '@shared/settings/known-editors.ts';
import type { HostPrograms } from '../../lib/programs/host-programs.ts';
import { isProgram } from '../../lib/programs/search-path.ts';

export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
}

interface EditorProgram {
  /** As it is called on PATH. */
  readonly names: readonly string[];
  /** Below the folder of applications (macOS), or of programs of a person or of all (Windows). */
  readonly mac: string;
  readonly windows: string;
  /** Whole paths (Linux). */
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
  // What lies on PATH there needs a shell to run it.
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

/** The words of its command for a file, which is a whole path. */
export function editorArguments(id: EditorId, path: string, line: number | null): readonly string[] {
  return programs[id].args(path, line);
}

/** The whole path of an editor: on PATH, or where it is usually installed, and never in a project. Null: it is not here. */
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
    if (isProgram(place) && (await host.isOutside(place))) return place;
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

/** What opens a text as the system is set, and the words that begin its command. */
export async function findSystemOpener(
  host: Pick<HostPrograms, 'find'>,
  { platform, env }: Machine,
): Promise<{ readonly program: string; readonly words: readonly string[] }> {
  // The text editor there, whatever the kind of file is opened with.
  if (platform === 'darwin') return { program: '/usr/bin/open', words: ['-t'] };
  if (platform === 'win32') return { program: `${env.SystemRoot ?? 'C:\\Windows'}\\notepad.exe`, words: [] };
  const program = await host.find('xdg-open');
  if (program !== null) return { program, words: [] };
  throw new AppError('not-found', 'This system has no `xdg-open`, which opens files.', {
    hint: 'Choose an editor in the settings.',
  });
}
