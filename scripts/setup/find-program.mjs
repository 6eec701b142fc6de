import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';

/**
 * The folders of PATH in which programs are looked for, by the same rule as src/main/lib/programs/search-path.ts:
 * absolute paths outside the current folder, which may be a project with programs of its own, and none that npm adds
 * for a project.
 * @param {NodeJS.ProcessEnv} [env]
 * @param {string} [current]
 * @returns {string[]}
 */
export function searchFolders(env = process.env, current = process.cwd()) {
  const text = env.PATH ?? env.Path ?? '';
  return text
    .split(process.platform === 'win32' ? ';' : ':')
    .filter((entry) => isWhole(entry) && !/[\\/]node_modules[\\/]\.bin[\\/]*$/iu.test(entry))
    .filter((entry) => !isOfProject(entry, current));
}

/**
 * @param {string} name
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {string | undefined} the absolute path of a program, undefined where there is none
 */
export function findProgram(name, env = process.env) {
  if (isAbsolute(name)) return isProgram(name) ? name : undefined;
  const endings = process.platform === 'win32' ? ['.exe', '.com', '.cmd'] : [''];
  const places = searchFolders(env).flatMap((folder) => endings.map((ending) => join(folder, name + ending)));
  return places.find((path) => isProgram(path) && !isOfProject(path, process.cwd()));
}

/**
 * Returns a command that starts without a shell. On Windows npm is a .cmd file, which only a shell can start, so the
 * script behind it is returned instead.
 * @param {string} name
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {readonly [string, ...string[]] | undefined}
 */
export function findCommand(name, env = process.env) {
  const path = findProgram(name, env);
  if (path === undefined || !path.endsWith('.cmd')) return path === undefined ? undefined : [path];
  const script = join(dirname(path), 'node_modules', 'npm', 'bin', 'npm-cli.js');
  return name === 'npm' && existsSync(script) ? [process.execPath, script] : undefined;
}

/** @param {string} path */
function isWhole(path) {
  return process.platform === 'win32' ? /^(?:[a-z]:[\\/]|\\\\)/iu.test(path) : path.startsWith('/');
}

/** @param {string} path */
function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

// The home folder is no project, nor is a folder that contains it or the system's programs.
/** @param {string} path @param {string} project */
function isOfProject(path, project) {
  const isWide = [homedir(), '/bin', '/usr/bin', '/usr/local/bin'].some((own) =>
    isWithin(realOf(own), realOf(project)),
  );
  const isIn = (/** @type {string} */ name, /** @type {string} */ folder) =>
    isWide ? relative(folder, name) === '' : isWithin(name, folder);
  return isIn(path, project) || isIn(realOf(path), realOf(project));
}

/** @param {string} path @param {string} folder */
function isWithin(path, folder) {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** @param {string} path */
function realOf(path) {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
