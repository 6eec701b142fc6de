import { homedir } from 'node:os';
import { dirname, isAbsolute, join, relative } from 'node:path';
import type { ServerDefinition } from '@shared/tools/server-definition.ts';

type Program = Pick<Extract<ServerDefinition, { kind: 'stdio' }>, 'command' | 'args'>;

/** Where the programs that fetch a package before they start it get it from. */
const npmHosts = ['registry.npmjs.org'];
const pythonHosts = ['pypi.org', 'files.pythonhosted.org'];
const runners: Readonly<Record<string, readonly string[]>> = {
  npx: npmHosts,
  bunx: npmHosts,
  uvx: pythonHosts,
};
const runnersByTwo: Readonly<Record<string, readonly string[]>> = {
  'npm exec': npmHosts,
  'pnpm dlx': npmHosts,
  'yarn dlx': npmHosts,
  'bun x': npmHosts,
  'uv run': pythonHosts,
  'uv tool': pythonHosts,
  'pipx run': pythonHosts,
};

/** How each program that READMEs start servers with is installed, as its own page says. Windows has another command. */
const installs: Readonly<Record<string, Readonly<{ win32: string; others: string }>>> = {
  uv: { win32: '`winget install astral-sh.uv`', others: '`curl -LsSf https://astral.sh/uv/install.sh | sh`' },
  node: { win32: '`winget install OpenJS.NodeJS.LTS`', others: 'the installer of nodejs.org' },
  bun: {
    win32: '`powershell -c "irm bun.sh/install.ps1 | iex"`',
    others: '`curl -fsSL https://bun.com/install | bash`',
  },
  pipx: { win32: '`py -m pip install --user pipx`', others: '`python3 -m pip install --user pipx`' },
  docker: {
    win32: '`winget install Docker.DockerDesktop`',
    others: 'the instructions of docs.docker.com/get-started/get-docker',
  },
};
const partOf: Readonly<Record<string, string>> = {
  uvx: 'uv',
  uv: 'uv',
  npx: 'node',
  npm: 'node',
  node: 'node',
  bunx: 'bun',
  bun: 'bun',
  pipx: 'pipx',
  docker: 'docker',
};

/** What to do where the program of a server is not on this machine, in whole sentences. */
export function howToGetProgram(command: string, platform: NodeJS.Platform): string {
  const name = programName(command);
  const part = Object.hasOwn(partOf, name) ? partOf[name] : undefined;
  const install = part === undefined ? undefined : installs[part];
  if (part === undefined || install === undefined) return 'Install it, or give its whole path.';
  const way = platform === 'win32' ? install.win32 : install.others;
  const inSandbox =
    part === 'docker' ? '' : ' Or run the server in its container, which needs nothing of this machine.';
  const what = part === name ? `Install ${part}` : `${name} comes with ${part}. Install it`;
  return `${what} with ${way}, then try again.${inSandbox}`;
}

const engines = ['docker', 'podman', 'nerdctl'];

/** The name of a program without its folder and its ending on Windows. */
export function programName(command: string): string {
  const own = command.split(/[\\/]/u).at(-1) ?? '';
  return own.toLowerCase().replace(/\.(?:exe|cmd)$/u, '');
}

/** The hosts from which such a command gets its program first; none: it is here already. */
export function downloadHosts({ command, args }: Program): readonly string[] {
  const name = programName(command);
  const two = `${name} ${args[0] ?? ''}`;
  if (Object.hasOwn(runners, name)) return runners[name] ?? [];
  return Object.hasOwn(runnersByTwo, two) ? (runnersByTwo[two] ?? []) : [];
}

/**
 * Why a program cannot work in a container: it starts containers itself (`engine`), or it names a folder or file of
 * this machine (`path`). Null: it can.
 */
export function hostOnly({ command, args }: Program): 'engine' | 'path' | null {
  if (engines.includes(programName(command))) return 'engine';
  const isOfMachine = (word: string): boolean =>
    (isAbsolute(word) || /^[A-Za-z]:[\\/]/u.test(word)) && !/^\/(?:workspace|scratch|usr|bin|dev)(?:\/|$)/u.test(word);
  return [command, ...args].some(isOfMachine) ? 'path' : null;
}

const homeWord = /^(?:~|\$HOME|\$\{HOME\}|%USERPROFILE%)(?=[\\/]|$)/u;

/** Gives `~/x` and `$HOME/x` the folder that a shell would give them. */
export function withHome(word: string, home = homedir()): string {
  const [found] = homeWord.exec(word) ?? [];
  return found === undefined ? word : join(home, word.slice(found.length));
}

const examples = [
  /^<[^<>]{1,80}>$/u,
  /^\[[A-Z _-]{2,80}\]$/u,
  /^\{\{[^{}]{1,80}\}\}$/u,
  /(?:^|[^a-z])your[_ -]/iu,
  /^(?:x{3,}|\.{3}|…|\*{3,})$/iu,
  /^(?:sk|ghp|pat|key)[-_](?:x{3,}|\.{3}|…|\*{3,})$/iu,
  /\$\{input:/u,
  /^(?:insert|enter|replace|paste|add)[_ -]/iu,
  /[_ -]here$/iu,
];

/** Whether a value only stands for one of the reader's own: `<YOUR_KEY>`, `your-api-key`, `${input:token}`. */
export function isExampleValue(text: string): boolean {
  return text.trim() === '' || examples.some((one) => one.test(text.trim()));
}

/**
 * The part of an argument, as it was written, that the reader has to replace; null: none. What lies in the reader's own
 * home is no example, whatever they are called.
 */
export function exampleIn(word: string, home = homedir()): string | null {
  const written = word.replace(homeWord, '~');
  const [mark] = /<[A-Za-z][^<>]{0,80}>|\$\{[^{}]{1,80}\}|\{\{[^{}]{1,80}\}\}/u.exec(written) ?? [];
  if (mark !== undefined) return mark;
  if (isAbsolute(word) && dirname(home) !== home && isWithin(word, home)) return null;
  const isPath =
    /(?:^|[\\/])path[\\/]to[\\/]|^[\\/]?(?:Users|home)[\\/](?:user(?:name)?|you|me|your[-_]?\w*)(?:[\\/]|$)/iu;
  return isPath.test(word) || /(?:^|[^a-z])your[_-]\w/iu.test(word) ? word : null;
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return !isAbsolute(way) && way.split(/[\\/]/u)[0] !== '..';
}
