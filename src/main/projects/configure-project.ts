import { basename, isAbsolute, join } from 'node:path';
import { AppError, valueOf, type Failure } from '@shared/errors.ts';
import { hasNoFolder } from '@shared/projects/project-keys.ts';
import type { ProjectModels } from '@shared/projects/project-models.ts';
import type { ProjectChange, ProjectSettings } from '@shared/projects/project-settings.ts';
import type { Settings } from '@shared/settings/settings.ts';
import { isWithin } from '../lib/files/is-within.ts';
import { setupOf } from '../sandbox/project-sandbox-settings.ts';
import { checkWorkspace } from '../sandbox/workspace/prepare-workspace.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import { lstat } from '../lib/files/drive-calls.ts';

/** Shows and changes the settings of single projects. */
export interface ProjectSetup {
  readonly show: (projectPath: string) => Promise<ProjectSettings>;
  /** Rejects with `bad-input` for an invalid change, and then changes nothing. */
  readonly change: (projectPath: string, change: ProjectChange) => Promise<ProjectSettings>;
}

export interface ProjectSetupOptions {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly settings: SettingsStore;
}

export function createProjectSetup(options: ProjectSetupOptions): ProjectSetup {
  const { settings } = options;
  // A change builds on the present settings, so changes run one after the other.
  let last: Promise<unknown> = Promise.resolve();
  return {
    show: (projectPath) => shown(options, projectPath),
    change: async (projectPath, change) => {
      const work = last.then(async () => {
        const places = await placesOf(options, projectPath);
        const checked = change.type === 'folder' ? await withRealFolder(options, places, change) : change;
        const { key, value } = changed(settings.current(), places, checked);
        await settings.save(key, value);
      });
      // The caller of this change gets its error; the next change starts anew.
      last = work.catch(() => undefined);
      await work;
      return shown(options, projectPath);
    },
  };
}

interface Places {
  /** The path as the project's sessions name it. */
  readonly projectPath: string;
  /** The path with links resolved, as the sandbox finds it; the same if the folder is gone. */
  readonly folder: string;
  readonly isThere: boolean;
  /** Why it cannot be worked in; null: it can, or there is none. */
  readonly failure: Failure | null;
}

async function placesOf({ home }: ProjectSetupOptions, projectPath: string): Promise<Places> {
  const checked = await checkWorkspace(projectPath, { homePath: home, needsWrite: false });
  const wrong = checked.ok || hasNoFolder(projectPath) ? null : checked.error;
  return { projectPath, folder: checked.ok ? checked.value : projectPath, isThere: checked.ok, failure: wrong };
}

async function shown(options: ProjectSetupOptions, path: string): Promise<ProjectSettings> {
  const { env } = options;
  const settings = options.settings.current();
  const { projectPath, folder, isThere, failure } = await placesOf(options, path);
  const setup = setupOf(settings.sandbox, folder);
  const { policy, local, cloud, sandbox } = settings;
  return {
    isThere,
    ...(failure === null ? {} : { missing: missingText(failure) }),
    own: choicesOf(settings, projectPath),
    usual: { policy, local, cloud, image: sandbox.image },
    variables: setup.env,
    secrets: setup.secretEnv.map((name) => ({ name, isSet: (env[name] ?? '') !== '' })),
    folders: foldersOf(settings, folder),
    testCommand: setup.testCommand,
    image: setup.image,
  };
}

function missingText({ message, hint, code }: Failure): NonNullable<ProjectSettings['missing']> {
  return { text: hint === undefined ? message : `${message} ${hint}`, isGone: code === 'not-found' };
}

function choicesOf({ projectModels }: Settings, projectPath: string): ProjectModels {
  return (Object.hasOwn(projectModels, projectPath) ? projectModels[projectPath] : undefined) ?? {};
}

interface Changed {
  readonly key: readonly string[] & string[];
  /** Null: no setting is left. */
  readonly value: object | null;
}

function changed(settings: Settings, places: Places, change: ProjectChange): Changed {
  if (change.type === 'choose' || change.type === 'forget') {
    const own = choicesOf(settings, places.projectPath);
    const next = change.type === 'forget' ? without(own, change.names) : { ...own, ...change.choices };
    return { key: ['projectModels', places.projectPath], value: Object.keys(next).length === 0 ? null : next };
  }
  if (change.type === 'folder' || change.type === 'no-folder') {
    const others = foldersOf(settings, places.folder).filter((path) => path !== change.path);
    const next = change.type === 'folder' ? [...others, change.path] : others;
    return { key: ['projectFolders', places.folder], value: next.length === 0 ? null : next };
  }
  const setup = setupOf(settings.sandbox, places.folder);
  const key = ['sandbox', 'projects', places.folder];
  switch (change.type) {
    case 'variable': {
      const secretEnv = setup.secretEnv.filter((name) => name !== change.name);
      return { key, value: { ...setup, secretEnv, env: { ...setup.env, [change.name]: change.value } } };
    }
    case 'secret': {
      const secretEnv = [...new Set([...setup.secretEnv, change.name])].sort();
      return { key, value: { ...setup, secretEnv, env: omit(setup.env, change.name) } };
    }
    case 'no-variable': {
      const secretEnv = setup.secretEnv.filter((name) => name !== change.name);
      return { key, value: { ...setup, secretEnv, env: omit(setup.env, change.name) } };
    }
    case 'test-command':
      return { key, value: { ...setup, testCommand: change.command } };
    case 'image':
      return {
        key,
        value: { ...setup, image: change.name === null ? null : imageOf(change.name, change.approval ?? null) },
      };
    default:
      return change satisfies never;
  }
}

/** The folders outside a project that are searched with it. */
export function foldersOf({ projectFolders }: Pick<Settings, 'projectFolders'>, folder: string): readonly string[] {
  return (Object.hasOwn(projectFolders, folder) ? projectFolders[folder] : undefined) ?? [];
}

const mostFolders = 20;

/** A folder is known by its name, in citations and for fences, so no other file or folder may have that name. */
async function withRealFolder(
  { home, settings }: ProjectSetupOptions,
  { folder }: Places,
  change: Extract<ProjectChange, { readonly type: 'folder' }>,
): Promise<ProjectChange> {
  if (!isAbsolute(change.path)) throw new AppError('bad-input', `${change.path} is no whole path.`);
  const path = valueOf(await checkWorkspace(change.path, { homePath: home, needsWrite: false }));
  const name = basename(path);
  const others = foldersOf(settings.current(), folder).filter((one) => one !== path);
  const refuse = (message: string, hint: string): never => {
    throw new AppError('bad-input', `${message} Nothing was changed.`, { hint });
  };
  const isInFolder = !hasNoFolder(folder);
  if (isInFolder && isWithin(path, folder))
    refuse(`${path} is in the project, and is searched with it.`, 'Choose one outside it.');
  if (isInFolder && isWithin(folder, path)) refuse(`${path} contains the project.`, 'Choose a folder beside it.');
  if (others.length >= mostFolders) refuse(`A project takes ${mostFolders} folders.`, 'Remove one first.');
  const outer = others.find((one) => isWithin(path, one) || isWithin(one, path));
  // Under two names, a rule for one of them would not hold for the other.
  if (outer !== undefined)
    refuse(`${path} and the chosen folder ${outer} are one within the other.`, 'Choose the outer one alone.');
  const isSame = (one: string): boolean => basename(one).toLowerCase() === name.toLowerCase();
  const rename = 'Rename one of the two, because answers name the folder by its name.';
  if (others.some(isSame)) refuse(`Another chosen folder is named ${name}, too.`, rename);
  const isTaken = isInFolder && (await lstat(join(folder, name)).catch(() => null)) !== null;
  if (isTaken) refuse(`The project has a ${name} of its own.`, rename);
  return { ...change, path };
}

/** A name typed by the user needs no approval. It is the user's own choice and not taken from the project. */
function imageOf(name: string, approval: string | null) {
  if (!/^[\w][\w./:@-]*$/u.test(name)) throw new AppError('bad-input', `"${name}" cannot be the name of an image.`);
  return { name, approval };
}

function without(own: ProjectModels, names: readonly (keyof ProjectModels)[]): ProjectModels {
  return Object.fromEntries(Object.entries(own).filter(([name]) => !names.some((one) => one === name)));
}

function omit(record: Readonly<Record<string, string>>, name: string): Record<string, string> {
  return Object.fromEntries(Object.entries(record).filter(([one]) => one !== name));
}
