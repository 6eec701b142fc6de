import { lstat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { maxDocumentBytes } from '@shared/documents/document-text.ts';
import { failure, success, toFailure, valueOf, type Reply } from '@shared/errors.ts';
import { hasNoFolder } from '@shared/projects/project-keys.ts';
import { compileFences, fenceVerdict, globMatcher } from '@shared/safety/fences.ts';
import { canonicalHost } from '@shared/safety/host-name.ts';
import type { NetworkRules } from '@shared/safety/network-access.ts';
import type { Settings } from '@shared/settings/settings.ts';
import { createKnowledgeFiles, type KnowledgeFiles } from './documents/knowledge/knowledge-files.ts';
import {
  createProjectKnowledge,
  type ProjectKnowledge,
  type ProjectKnowledgeOptions,
  type SessionKnowledge,
} from './documents/knowledge/project-knowledge.ts';
import { textOf } from './documents/knowledge/read-source.ts';
import { tellAfter } from './lib/async/tell-after.ts';
import type { ReadDocument } from './documents/read-document.ts';
import type { SearchDocuments } from './documents/search/search-documents.ts';
import { type ChosenFolder, goneFolder, type OpenChosenFolders } from './documents/search/chosen-folders.ts';
import { isWithin } from './lib/files/is-within.ts';
import { mayBeThere, realPathOf } from './lib/files/host-folder.ts';
import { projectKey } from './lib/files/project-key.ts';
import { silentDrive, silentFolder } from './lib/files/served-drives.ts';
import { lookForHidden } from './sandbox/read-only/hidden-from-reading.ts';
import { createReadOnlySandbox } from './sandbox/read-only/read-only-sandbox.ts';
import { foldersOf } from './projects/configure-project.ts';
import { fenceSources } from './safety/rules/session-rules.ts';
import type { RuleFiles } from './safety/rule-files.ts';
import { isSecretFile } from './sandbox/workspace/secret-files.ts';
import type { SandboxFiles } from './sandbox/sandbox.ts';
import type { HiddenReach } from './sessions/attachments/hidden-files.ts';
import type { SettingsStore } from './settings/settings-store.ts';
import { readPage } from './tools/web/read-page.ts';
import { requestOnOneHost, type WebExchange } from './tools/web/web-request.ts';

export interface FolderBase {
  readonly settings: Pick<SettingsStore, 'current'>;
  readonly rules: Pick<RuleFiles, 'activeRules'>;
}

/** The files of a folder, a real path, without those that are hidden from models there. */
export async function filesForReading(
  folder: string,
  { homePath, ...base }: FolderBase & { readonly homePath: string },
  signal: AbortSignal,
): Promise<SandboxFiles> {
  const place = { workspacePath: folder, projectPath: folder };
  const hidden = await hiddenFinder({ home: homePath }, base)(place, signal);
  return createReadOnlySandbox({ workspacePath: folder, because: null, hidden: async () => hidden }).files;
}

/** A folder, and its name in answers and rules. */
interface NamedFolder {
  readonly name: string;
  readonly path: string;
  readonly takesEveryText?: true;
}

interface KnowledgeFolder extends NamedFolder {
  /** All that it may have, and have had. What the project itself has is not named so. */
  readonly names: readonly string[];
}

const chosenBy = (settings: Settings, project: string): readonly NamedFolder[] =>
  foldersOf(settings, project).map((path) => ({ path, name: basename(path) }));

/** Finds what is hidden from reading in a folder. */
export function hiddenFinder(
  { home: homePath }: { readonly home: string },
  { settings, rules }: FolderBase,
): HiddenReach['hiddenIn'] {
  return async ({ workspacePath, projectPath }, signal) => {
    const { masks } = await rules.activeRules(projectPath);
    const project = await projectKey(projectPath ?? workspacePath);
    const { sandbox } = settings.current();
    const query = { workspacePath, settings: sandbox, homePath, projectPath: project, masks };
    return (await lookForHidden(query, signal)).hidden;
  };
}

/**
 * The folders outside a project that are searched with it: those that the person chose, and the project's knowledge. Rules
 * of the folder itself, as of a project, hold too, and so do those of a project that it lies in or that lies in it: what
 * they mask is not there, and what they fence more strictly than the project does is left out.
 */
export function createChosenFolders(
  config: { readonly home: string },
  base: FolderBase,
): (projectPath: string) => OpenChosenFolders {
  const knowledge = createKnowledgeFiles(config.home);
  return (projectPath) => async (signal) => {
    const project = await realPathOf(projectPath).catch(() => projectPath);
    const chosen = chosenBy(base.settings.current(), project);
    const own = (await knowledge.list(project)).length === 0 ? [] : [await knowledgeFolder(knowledge, project, chosen)];
    const places: readonly NamedFolder[] = [...chosen, ...own];
    if (places.length === 0) return [];
    const judge = await judgeOf(base, config.home, { project, places: [...places, ...own.flatMap(byEachName)] });
    const opened = await Promise.all(
      places.map((place) => openedFolder({ ...base, homePath: config.home }, place, judge)),
    );
    signal.throwIfAborted();
    return opened;
  };
}

async function openedFolder(
  base: FolderBase & { readonly homePath: string },
  { name, path, takesEveryText }: NamedFolder,
  judge: Judge,
): Promise<ChosenFolder> {
  if ((await silentDrive(path)) !== null) return goneFolder(name, silentFolder(path).message);
  if (name === '' || (await realPathOf(path).catch(() => null)) !== path) return goneFolder(name);
  const isLeftOut = await judge({ name, path });
  const open = (wait: AbortSignal) => filesForReading(path, base, wait);
  return { name, isLeftOut, files: openedLater(open), ...(takesEveryText === true ? { takesEveryText } : {}) };
}

/** Whether a file of a folder is left out, because somebody else's rule for it is stricter than those of the project. */
type Judge = (folder: NamedFolder) => Promise<(inside: string) => boolean>;

async function judgeOf(
  { settings, rules }: FolderBase,
  home: string,
  { project, places }: { readonly project: string; readonly places: readonly NamedFolder[] },
): Promise<Judge> {
  const rulesOf = async (root: string) => {
    const active = await rules.activeRules(root);
    const sources = fenceSources(active, settings.current());
    const fences = compileFences({ settings: sources, projectPath: root, isSecretFile });
    return { root, fences, masks: active.masks.map(globMatcher) };
  };
  const { fences, masks } = await rulesOf(project);
  return async ({ name, path }) => {
    const owners = await Promise.all(
      [path, ...(await projectsAround(path, settings.current(), home))].map((root) => rulesOf(root)),
    );
    return (inside) => {
      const own = fences.ofPath(`${name}/${inside}`);
      const whole = join(path, inside);
      // Within another chosen folder it has a second name, and a rule for that holds, too.
      const shown = places
        .filter((one) => isWithin(whole, one.path))
        .map((one) => `${one.name}/${relative(one.path, whole).replaceAll(sep, '/')}`);
      const judges = owners
        .filter(({ root }) => isWithin(whole, root))
        .map((owner) => ({ ...owner, at: relative(owner.root, whole).replaceAll(sep, '/') }));
      const hits = [...shown.map((one) => fences.ofPath(one)), ...judges.map((owner) => owner.fences.ofPath(owner.at))];
      const all = hits.flatMap((hit) => hit ?? []);
      const isMasked =
        shown.some((one) => masks.some((fits) => fits(one))) ||
        judges.some((owner) => owner.masks.some((fits) => fits(owner.at)));
      return isMasked || fenceVerdict(all) !== (own?.verdict ?? 'free');
    };
  };
}

async function knowledgeFolder(
  { folderOf }: Pick<KnowledgeFiles, 'folderOf'>,
  project: string,
  others: readonly NamedFolder[],
): Promise<KnowledgeFolder> {
  const isTaken = async (name: string): Promise<boolean> =>
    others.some((one) => one.name.toLowerCase() === name) ||
    (await lstat(join(project, name)).catch(() => null)) !== null;
  const path = await folderOf(project);
  // A project can have the first two, made by a stranger or an agent, but none knows the last.
  const names = ['knowledge', 'dewpoint-knowledge', `dewpoint-knowledge-${path.slice(-12)}`] as const;
  let name: string = names[2];
  for (const one of names.toReversed()) if (!(await isTaken(one))) name = one;
  return { name, names, path, takesEveryText: true };
}

/**
 * For judging: a rule for one of its names holds for all. Otherwise a folder of that name, once it appears in the project,
 * would take the knowledge out of the rule.
 */
function byEachName({ names, path }: KnowledgeFolder): readonly NamedFolder[] {
  return names.map((name) => ({ name, path }));
}

interface KnowledgeBase extends FolderBase {
  readonly settings: Pick<SettingsStore, 'current' | 'tell'>;
  readonly now: () => number;
  readonly chosenFolders: (projectPath: string) => OpenChosenFolders;
  readonly readDocument: ReadDocument;
  readonly searchDocuments: SearchDocuments;
  readonly forgetPaths: ProjectKnowledgeOptions['forgetPaths'];
  readonly exchange: WebExchange;
}

/** The same, and `tell` after each change. */
function telling({ add, remove, setWhole, ...given }: ProjectKnowledge, tell: () => void): ProjectKnowledge {
  return { ...given, add: tellAfter(add, tell), remove: tellAfter(remove, tell), setWhole: tellAfter(setWhole, tell) };
}

/** What the person adds to the knowledge of projects, and the whole texts that their models are given. */
export function createKnowledgeParts({ home }: { readonly home: string }, base: KnowledgeBase) {
  const { settings, now, chosenFolders, readDocument, searchDocuments, forgetPaths, exchange } = base;
  const files = createKnowledgeFiles(home);
  const placeOf = async (projectPath: string): Promise<KnowledgeFolder> => {
    const project = await realPathOf(projectPath).catch(() => projectPath);
    return knowledgeFolder(files, project, chosenBy(settings.current(), project));
  };
  const open = async (projectPath: string, signal: AbortSignal): Promise<ChosenFolder | null> =>
    (await chosenFolders(projectPath)(signal)).find(({ takesEveryText }) => takesEveryText === true) ?? null;
  const given = createProjectKnowledge({
    files,
    readDocument,
    now,
    forgetPaths,
    nameIn: async (projectPath) => (await placeOf(projectPath)).name,
    namesIn: async (projectPath) => (await placeOf(projectPath)).names,
    readIntoIndex: async (projectPath, signal) => {
      const folder = await open(projectPath, signal);
      if (folder === null) return 0;
      const asked = { words: 'knowledge', limit: 1, chosen: [folder] };
      return valueOf(await searchDocuments(noFiles, asked, signal)).left;
    },
    whyNot: async (projectPath, path) => {
      const place = await placeOf(projectPath);
      const real = await realPathOf(path).catch(() => path);
      const name = basename(real);
      if (isSecretFile(name)) return `${name} is a file with secrets, which no knowledge keeps.`;
      const project = await realPathOf(projectPath).catch(() => projectPath);
      const places = byEachName({ ...place, path: dirname(real) });
      const judge = await judgeOf(base, home, { project, places });
      if (!(await judge({ name: place.name, path: dirname(real) }))(name)) return null;
      return `A rule keeps ${name} from models, or on this machine, where it lies. Make a rule for ${place.name}/${name} in this project first, or add a copy.`;
    },
    fetchPage: async (url, projectPath, signal) => {
      const asked = URL.parse(url);
      const host = asked === null ? null : canonicalHost(asked.hostname);
      if (host !== null && isDenied(settings.current().network, projectPath, host))
        return failure('refused', `A rule of yours denies ${host}.`, 'See: dewpoint settings get network');
      const headers = { accept: 'text/html, application/pdf, text/plain, */*;q=0.5' };
      const wish = { method: 'GET', url, headers, body: null, why: '' } as const;
      const answer = await requestOnOneHost(exchange, signal)(wish);
      if (!answer.ok) return answer;
      const { status, bytes, isCut } = answer.value;
      if (status < 200 || status > 299) return failure('network', `${url} answered ${status}.`);
      const text = (): Promise<Reply<string>> => readPage(answer.value, { readDocument }, signal);
      return success({ url: answer.value.url, bytes, isCut, text });
    },
  });
  const whole = async (projectPath: string) => {
    const { name: top } = await placeOf(projectPath);
    return (await files.list(projectPath)).flatMap(({ name, isWhole, addedAt, tokens }) =>
      isWhole ? [{ path: `${top}/${name}`, mark: `${top}/${name} ${addedAt}`, tokens }] : [],
    );
  };
  /** A project without a folder has nothing else to look at than what the person added to it: files and folders. */
  const count = async (projectPath: string): Promise<number> => {
    const chosen = hasNoFolder(projectPath) ? chosenBy(settings.current(), projectPath) : [];
    return chosen.length + (await files.list(projectPath)).length;
  };
  const of = (projectPath: string): SessionKnowledge => ({
    isThere: async () => (await count(projectPath)) > 0,
    hasMore: async (laid) => (await count(projectPath)) > laid.length,
    whole: () => whole(projectPath),
    text: async (path, signal) => {
      const folder = await open(projectPath, signal);
      const inside = path.slice((folder?.name.length ?? 0) + 1);
      if (folder === null || folder.isLeftOut(inside)) return failure('not-found', `${path} is not there.`);
      const read = await folder.files.read(inside, { maxBytes: maxDocumentBytes }, signal);
      if (!read.ok) return read;
      const text = await textOf({ readDocument }, { name: inside, bytes: read.value.bytes }, signal);
      return text.ok ? success(text.value.text) : text;
    },
  });
  return { ...telling(given, () => settings.tell('knowledge')), of };
}

/** Where nothing of the project itself is read: its knowledge lies outside it, and it may have no folder. */
export const noFiles: Parameters<SearchDocuments>[0] = {
  scan: async () => success({ files: new Map(), unseen: [], hidden: [] }),
  read: async () => failure('not-found', 'There is no such file.'),
  readMany: async () => success(new Map()),
};

function isDenied({ deny, projects }: NetworkRules, projectPath: string, host: string): boolean {
  const own = Object.hasOwn(projects, projectPath) ? projects[projectPath] : undefined;
  return [...deny, ...(own?.deny ?? [])].includes(host);
}

/** The projects with rules of their own that a folder lies in, and those in it whose rules are known. */
async function projectsAround(folder: string, { fences, rules }: Settings, home: string): Promise<readonly string[]> {
  const known = new Set([...fences.rules.flatMap(({ project }) => project ?? []), ...Object.keys(rules.approved)]);
  const found = [...known].filter((one) => one !== folder && (isWithin(one, folder) || isWithin(folder, one)));
  for (let above = dirname(folder); dirname(above) !== above; above = dirname(above)) {
    const own = join(above, '.dewpoint');
    // The home of Dewpoint may have this name. Its rules are for all projects.
    if (!known.has(above) && own !== home && (await mayBeThere(join(own, 'dewpoint.rules')))) found.push(above);
  }
  return found;
}

/** What is hidden in a folder is looked for once it is read. */
function openedLater(open: (signal: AbortSignal) => Promise<SandboxFiles>): ChosenFolder['files'] {
  let opened: Promise<SandboxFiles> | null = null;
  const use = async <T>(signal: AbortSignal, work: (files: SandboxFiles) => Promise<Reply<T>>): Promise<Reply<T>> => {
    try {
      return await work(await (opened ??= open(signal)));
    } catch (error) {
      opened = null;
      signal.throwIfAborted();
      return { ok: false, error: toFailure(error) };
    }
  };
  return {
    scan: (signal) => use(signal, (files) => files.scan(signal)),
    read: (path, options, signal) => use(signal, (files) => files.read(path, options, signal)),
    readMany: (paths, options, signal) => use(signal, (files) => files.readMany(paths, options, signal)),
  };
}
