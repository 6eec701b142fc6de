import { InvalidArgumentError, type Command } from 'commander';
import type { FoldersAction, FoldersArguments } from '../commands/projects/chosen-folders.command.ts';
import type { CloneArguments } from '../commands/projects/clone-project.command.ts';
import type { KnowledgeAction, KnowledgeArguments } from '../commands/projects/knowledge.command.ts';
import type { InstructionsAction, InstructionsArguments } from '../commands/projects/instructions.command.ts';
import type { GitArguments } from '../commands/projects/git.command.ts';
import type { GitQuestion } from '@shared/contract/git-contract.ts';
import type { ProjectListAction } from '../commands/projects/project-list.command.ts';
import type { ProjectPageAction, ProjectPageArguments } from '../commands/projects/project-page.command.ts';
import type { SearchArguments } from '../commands/projects/search-project.command.ts';
import type { MapArguments } from '../commands/projects/map-project.command.ts';
import type { PullArguments } from '../commands/projects/pull-project.command.ts';
import type { PushArguments } from '../commands/projects/push-project.command.ts';
import type { PrepareArguments } from '../commands/projects/prepare-project.command.ts';
import type { RulesArguments } from '../commands/rules.command.ts';
import type { RulesAction } from './rules-program.ts';
import type { MemoryAction, MemoryArguments } from '../commands/projects/memory.command.ts';
import type { SkillsAction, SkillsArguments } from '../commands/projects/skills.command.ts';
import { collect, subcommand } from './subcommand.ts';

export type GitHostWish =
  | { readonly type: 'token'; readonly host: string }
  | {
      readonly type: 'clone';
      readonly url: string;
      readonly folder: string | undefined;
      readonly args: CloneArguments;
    }
  | { readonly type: 'pull'; readonly folder: string | undefined; readonly args: PullArguments }
  | { readonly type: 'push'; readonly folder: string | undefined; readonly args: PushArguments };

/** A search of documents, or what it looks into: folders and the knowledge of a project. */
export type SearchWish =
  | {
      readonly type: 'search';
      readonly folder: string;
      readonly words: readonly string[];
      readonly args: SearchArguments;
    }
  | {
      readonly type: 'folders';
      readonly action: FoldersAction;
      readonly folder: string | undefined;
      readonly args: FoldersArguments;
    }
  | {
      readonly type: 'knowledge';
      readonly action: KnowledgeAction;
      readonly folder: string;
      readonly words: readonly string[];
      readonly args: KnowledgeArguments;
    };

export interface ProjectHandlers {
  rules(action: RulesAction, word: string | undefined, args: RulesArguments): Promise<void>;
  projects(
    action: ProjectListAction | ProjectPageAction,
    word: string | undefined,
    args: ProjectPageArguments,
  ): Promise<void>;
  prepareProject(folder: string | undefined, args: PrepareArguments): Promise<void>;
  mapProject(folder: string | undefined, args: MapArguments): Promise<void>;
  searchProject(wish: SearchWish): Promise<void>;
  /** What has to do with a host of repositories. */
  gitHost(wish: GitHostWish): Promise<void>;
  projectGit(ask: GitQuestion, args: GitArguments): Promise<void>;
  memory(action: MemoryAction, words: readonly string[], args: MemoryArguments): Promise<void>;
  skills(action: SkillsAction, name: string, args: SkillsArguments): Promise<void>;
  instructions(action: InstructionsAction, folder: string | undefined, args: InstructionsArguments): Promise<void>;
}

/** `dewpoint projects` and its subcommands. */
export function addProjects(program: Command, handlers: ProjectHandlers): void {
  const projects = subcommand(
    program,
    'projects',
    'manage projects, their packages and their instructions',
    'dewpoint projects list',
  );
  addList(projects, handlers);
  addPages(projects, handlers);
  addClone(projects, handlers);
  addPullAndPush(projects, handlers);
  addGit(projects, handlers);
  addMap(projects, handlers);
  addSearch(projects, handlers);
  addFolders(projects, handlers);
  addKnowledge(projects, handlers);
  subcommand(
    projects,
    'prepare',
    "install a project's packages for the sandbox, after your approval",
    'dewpoint projects prepare .',
  )
    .argument('[dir]', 'the project folder (default: the current folder)')
    .option('--yes', 'install without asking')
    .option('--anew', 'also reinstall packages that commands of a session changed')
    .option('--language-servers', 'also install servers by which models find uses, rename, and see new errors')
    .option('--host <name>', 'another host that packages may come from; repeatable', collect)
    .option('--json', 'print what is installed as JSON')
    .action((folder: string | undefined, args: PrepareArguments) => handlers.prepareProject(folder, args));
  const example = 'dewpoint projects instructions approve .';
  const instructions = subcommand(projects, 'instructions', 'manage instructions such as AGENTS.md', example);
  const words = {
    list: 'list the instructions of a project, and which of them agents follow',
    show: 'show instructions, with invisible characters and what changed since your approval',
    approve: 'show instructions, then ask for your approval',
    forget: 'withdraw your approval',
  } as const;
  for (const action of ['list', 'show', 'approve', 'forget'] as const) {
    const one = subcommand(instructions, action, words[action], `dewpoint projects instructions ${action} .`)
      .argument('[dir]', 'the project folder (default: the current folder)')
      .option('--json', 'print JSON');
    if (action !== 'list') one.option('--file <path>', 'only this file');
    if (action === 'approve') one.option('--sha256 <hash>', 'approve exactly this text without a question');
    one.action((folder: string | undefined, args: InstructionsArguments) =>
      handlers.instructions(action, folder, args),
    );
  }
}

/** The list of projects. */
function addList(projects: Command, handlers: ProjectHandlers): void {
  const folder = ['[dir]', 'the project folder (default: the current folder)'] as const;
  subcommand(projects, 'list', 'list projects, latest first', 'dewpoint projects list')
    .option('--json', 'print JSON')
    .action((args: { readonly json?: boolean }) => handlers.projects('list', undefined, args));
  subcommand(projects, 'add', 'add a folder to the list', 'dewpoint projects add .')
    .argument(...folder)
    .action((dir: string | undefined) => handlers.projects('add', dir, {}));
  subcommand(projects, 'remove', 'remove a project from the list; nothing is deleted', 'dewpoint projects remove .')
    .argument(...folder)
    .action((dir: string | undefined) => handlers.projects('remove', dir, {}));
  subcommand(projects, 'rules', 'list the rules that apply in a project', 'dewpoint projects rules .')
    .argument(...folder)
    .option('--json', 'print JSON')
    .action((dir: string | undefined, args: { readonly json?: boolean }) =>
      handlers.rules('list', undefined, { ...args, project: dir ?? '.' }),
    );
}

const whichProject = ['[project]', 'its name, its id or its folder (default: the current folder)'] as const;

/** What a project is: name, icon, instructions, and what its talks begin with. */
function addPages(projects: Command, handlers: ProjectHandlers): void {
  const add = (name: string, description: string, example: string): Command =>
    withPageOptions(subcommand(projects, name, description, `dewpoint projects ${example}`));
  add('new', 'make a project; it needs no folder', 'new "Tax 2026" --instructions "Answer in German."')
    .argument('<name>', 'how you call it')
    .action((name: string, args: ProjectPageArguments) => handlers.projects('new', name, args));
  subcommand(projects, 'show', 'show what is set for a project, and what it costs', 'dewpoint projects show "Tax 2026"')
    .argument(...whichProject)
    .option('--json', 'print JSON')
    .action((word: string | undefined, args: ProjectPageArguments) => handlers.projects('show', word, args));
  add('set', 'change a project', 'set "Tax 2026" --instructions-file rules.md')
    .argument(...whichProject)
    .option('--name <name>', 'another name')
    .action((word: string | undefined, args: ProjectPageArguments) => handlers.projects('set', word, args));
  subcommand(
    projects,
    'delete',
    'delete a project; its sessions and its folder stay',
    'dewpoint projects delete "Tax 2026"',
  )
    .argument('<project>', 'its name, its id or its folder')
    .option('--yes', 'delete it without a question')
    .action((word: string, args: ProjectPageArguments) => handlers.projects('delete', word, args));
  subcommand(projects, 'restore', 'restore a deleted project', 'dewpoint projects restore k3f9a2b7c4d1')
    .argument('<id>', 'as `projects delete` printed it')
    .action((id: string) => handlers.projects('restore', id, {}));
}

function withPageOptions(command: Command): Command {
  return command
    .option('--icon <sign>', 'an emoji or a letter, or none')
    .option('--color <color>', 'what a letter stands on: gray, red, orange, green, blue or purple')
    .option('--instructions <text>', 'what models are told with each message of the project')
    .option('--instructions-file <file>', 'the same from a file; - reads it from stdin')
    .option('--assistant <name>', 'who answers in new sessions, or none')
    .option('--mode <mode>', 'how new messages are read: ask, plan, work or auto')
    .option('--policy <policy>', 'local, cloud, hybrid (or auto), economy, balanced or quality; none: as everywhere')
    .option('--local <model>', 'the local model, PROVIDER/MODEL; none: as everywhere')
    .option('--cloud <model>', 'the cloud model, PROVIDER/MODEL, or none')
    .option('--folder <dir>', 'the folder that its tasks work in, or where it lies now if it was moved')
    .option('--json', 'print JSON');
}

function addClone(projects: Command, handlers: ProjectHandlers): void {
  const example = 'dewpoint projects clone https://example.org/ada/app.git';
  subcommand(projects, 'clone', 'bring a repository into a new folder; nothing of it runs', example)
    .argument('<url>', 'its HTTPS address')
    .argument('[dir]', 'a folder that is new or empty (default: named as the repository)')
    .option('--branch <name>', 'the branch to check out (default: the usual one of the host)')
    .option('--depth <n>', 'only one branch, and its last commits', depthOf)
    .option('--json', 'print JSON')
    .action((url: string, folder: string | undefined, args: CloneArguments) =>
      handlers.gitHost({ type: 'clone', url, folder, args }),
    );
}

function addPullAndPush(projects: Command, handlers: ProjectHandlers): void {
  const words = 'bring the branch of a project forward to the one that it follows; nothing of it runs';
  subcommand(projects, 'pull', words, 'dewpoint projects pull .')
    .argument('[dir]', 'the project folder (default: the current folder)')
    .option('--remote <name>', 'the remote (default: the one that the branch follows)')
    .option('--json', 'print JSON')
    .action((folder: string | undefined, args: PullArguments) => handlers.gitHost({ type: 'pull', folder, args }));
  subcommand(projects, 'push', 'push a branch of a project, after your approval', 'dewpoint projects push .')
    .argument('[dir]', 'the project folder (default: the current folder)')
    .option('--branch <name>', 'the branch (default: the one that is checked out)')
    .option('--remote <name>', 'the remote (default: the one that the branch follows)')
    .option('--yes', 'push without asking')
    .option('--json', 'print JSON')
    .action((folder: string | undefined, args: PushArguments) => handlers.gitHost({ type: 'push', folder, args }));
}

function depthOf(word: string): number {
  const depth = Number(word);
  if (Number.isInteger(depth) && depth > 0 && depth <= 1_000_000) return depth;
  throw new InvalidArgumentError('Give a whole number from 1 to 1000000.');
}

/** What is read of the repository of a project. */
function addGit(projects: Command, handlers: ProjectHandlers): void {
  const words = 'read the git repository of a project; nothing of it runs';
  const git = subcommand(projects, 'git', words, 'dewpoint projects git status');
  const add = (name: string, description: string, example = ''): Command =>
    subcommand(git, name, description, `dewpoint projects git ${name}${example}`)
      .option('--project <project>', 'its folder, its name or its id (default: the current folder)')
      .option('--json', 'print JSON');
  subcommand(git, 'token', 'save the token of a host of repositories', 'dewpoint projects git token github.com')
    .argument('<host>', 'such as github.com')
    .action((host: string) => handlers.gitHost({ type: 'token', host }));
  add('status', 'show the branch, and what changed since the last commit').action((args: GitArguments) =>
    handlers.projectGit({ type: 'status' }, args),
  );
  add('branches', 'list branches and remotes').action((args: GitArguments) =>
    handlers.projectGit({ type: 'branches' }, args),
  );
  add('log', 'list commits, latest first', ' src/app.py')
    .argument('[path]', 'only commits that changed this file')
    .option('--ref <name>', 'begin at a branch, a tag or a commit (default: HEAD)')
    .option('--limit <n>', 'the most commits to show (default: 20)', limitOf)
    .action((path: string | undefined, args: GitArguments) =>
      handlers.projectGit({ type: 'log', ref: args.ref, path, limit: args.limit ?? 20 }, args),
    );
  add('show', 'show a commit and what it changed', ' HEAD~1')
    .argument('[commit]', 'a branch, a tag or a commit (default: HEAD)')
    .action((ref: string | undefined, args: GitArguments) =>
      handlers.projectGit({ type: 'show', ref: ref ?? 'HEAD' }, args),
    );
  add('diff', 'show what changed since a commit, or between two', ' main..topic')
    .argument('[commits]', 'a commit, or FROM..TO (default: HEAD)')
    .option('--path <path>', 'only this file or folder')
    .action((commits: string | undefined, args: GitArguments) => {
      const [from = '', to] = (commits ?? '').split(/\.{2,3}/u);
      const ends = { from: from === '' ? 'HEAD' : from, to: to === undefined ? null : to === '' ? 'HEAD' : to };
      return handlers.projectGit({ type: 'diff', ...ends, path: args.path }, args);
    });
  add('blame', 'show who wrote each line of a file last', ' src/app.py')
    .argument('<path>', 'a file of the last commit')
    .option('--ref <name>', 'as of a branch, a tag or a commit (default: the file as it is)')
    .action((path: string, args: GitArguments) => handlers.projectGit({ type: 'blame', path, ref: args.ref }, args));
}

function limitOf(word: string): number {
  const limit = Number(word);
  if (Number.isInteger(limit) && limit > 0 && limit <= 1000) return limit;
  throw new InvalidArgumentError('Give a whole number from 1 to 1000.');
}

/** `dewpoint skills` and its subcommands. */
export function addSkills(program: Command, run: ProjectHandlers['skills']): void {
  const skills = subcommand(
    program,
    'skills',
    'manage skills: folders with a SKILL.md that says how to do something',
    'dewpoint skills list',
  );
  const words = {
    show: 'print a skill, with invisible characters and what changed since your approval',
    enable: "switch a skill on; show a project's skill and ask for your approval",
    disable: 'switch a skill off everywhere',
  } as const;
  subcommand(skills, 'list', 'list your skills and those of a project', 'dewpoint skills list')
    .option('--project <project>', 'its folder, its name or its id (default: the current folder)')
    .option('--json', 'print JSON')
    .action((args: SkillsArguments) => run('list', '', args));
  subcommand(skills, 'add', 'copy a folder with a SKILL.md, for all projects', 'dewpoint skills add ./release-notes')
    .argument('<dir>', 'the folder; for one project alone, copy it into .agents/skills of the project')
    .option('--replace', 'replace a skill of the same name')
    .option('--json', 'print JSON')
    .action((folder: string, args: SkillsArguments) => run('add', folder, args));
  subcommand(skills, 'remove', 'remove a skill that was added', 'dewpoint skills remove release-notes')
    .argument('<name>', 'the name of a skill')
    .action((name: string, args: SkillsArguments) => run('remove', name, args));
  for (const action of ['show', 'enable', 'disable'] as const) {
    const one = subcommand(skills, action, words[action], `dewpoint skills ${action} release-notes`)
      .argument('<name>', 'the name of a skill')
      .option('--project <project>', 'its folder, its name or its id (default: the current folder)')
      .option('--json', 'print JSON');
    if (action === 'enable') one.option('--sha256 <hash>', 'approve exactly this skill without a question');
    one.action((name: string, args: SkillsArguments) => run(action, name, args));
  }
}

/** The map of a project. */
function addMap(projects: Command, handlers: ProjectHandlers): void {
  subcommand(
    projects,
    'map',
    'print the most important names of a project, by file and line',
    'dewpoint projects map .',
  )
    .argument('[dir]', 'the project folder (default: the current folder)')
    .option('--about <words>', 'prefer names that these words are about')
    .option('--tokens <n>', 'how long the map may be (default: 4000)', tokensOf)
    .option('--json', 'print JSON')
    .action((dir: string | undefined, args: MapArguments) => handlers.mapProject(dir, args));
}

/** The documents of a project, or of any folder. */
function addSearch(projects: Command, handlers: ProjectHandlers): void {
  subcommand(
    projects,
    'search',
    'find parts of the documents in a folder: PDF, Word, Excel, Markdown and more',
    'dewpoint projects search . "how long is the warranty"',
  )
    .argument('<dir>', 'a project, or any folder with documents')
    .argument('<words...>', 'a question, or some words')
    .option('--wait', 'make all vectors first, for a search by meaning')
    .option('--limit <n>', 'the most parts to show (default: 6)', partsOf)
    .option('--json', 'print JSON')
    .action((dir: string, words: readonly string[], args: SearchArguments) =>
      handlers.searchProject({ type: 'search', folder: dir, words, args }),
    );
}

/** Folders outside a project. */
function addFolders(projects: Command, handlers: ProjectHandlers): void {
  const example = 'dewpoint projects folders add ~/manuals';
  const folders = subcommand(projects, 'folders', 'choose folders that are searched with a project', example);
  subcommand(folders, 'list', 'list the chosen folders of a project', 'dewpoint projects folders list .')
    .argument('[dir]', 'the project folder (default: the current folder)')
    .option('--json', 'print JSON')
    .action((dir: string | undefined, args: FoldersArguments) =>
      handlers.searchProject({ type: 'folders', action: 'list', folder: dir, args }),
    );
  const words = {
    add: 'search the documents of a folder with a project, for reading only',
    remove: 'search a folder no longer, and remove its parts from the index',
  } as const;
  for (const action of ['add', 'remove'] as const)
    subcommand(folders, action, words[action], `dewpoint projects folders ${action} ~/manuals`)
      .argument('<folder>', 'a folder outside the project')
      .option('--project <project>', 'its folder, its name or its id (default: the current folder)')
      .action((folder: string, args: FoldersArguments) =>
        handlers.searchProject({ type: 'folders', action, folder, args }),
      );
}

/** Files and pages that are always at hand. */
function addKnowledge(projects: Command, handlers: ProjectHandlers): void {
  const example = 'dewpoint projects knowledge add . handbook.pdf';
  const knowledge = subcommand(projects, 'knowledge', 'keep files and pages at hand in a project', example);
  const run = (action: KnowledgeAction, folder: string, words: readonly string[], args: KnowledgeArguments) =>
    handlers.searchProject({ type: 'knowledge', action, folder, words, args });
  subcommand(knowledge, 'list', 'list what is at hand, with what it costs', 'dewpoint projects knowledge list .')
    .argument(...whichProject)
    .option('--project <project>', 'the same')
    .option('--json', 'print JSON')
    .action((folder: string | undefined, args: KnowledgeArguments) =>
      run('list', folder ?? args.project ?? '.', [], args),
    );
  const change = (action: 'add' | 'remove', description: string, what: readonly [string, string]): Command =>
    subcommand(knowledge, action, description, `dewpoint projects knowledge ${action} . handbook.pdf`)
      .usage(`[options] <project> <${what[0]}...>`)
      .argument('<project>', 'its name, its id or its folder; left out with --project')
      .argument(`[${what[0]}...]`, what[1])
      .option('--project <project>', 'the same as the first word')
      .action((first: string, words: readonly string[], args: KnowledgeArguments, command: Command) => {
        // With the option, the first word is no project.
        if (args.project !== undefined) return run(action, args.project, [first, ...words], args);
        if (words.length === 0)
          command.error(
            `error: missing ${what[0]}: name the project first, then the ${what[0]}, such as \`dewpoint projects knowledge ${action} . handbook.pdf\``,
            { exitCode: 2 },
          );
        return run(action, first, words, args);
      });
  change('add', 'copy files, or fetch pages once, so that agents can search and cite them', [
    'sources',
    'files, or addresses that begin with https://',
  ])
    .option('--whole', 'give their whole text to models that have room for it')
    .option('--no-whole', 'search them, which costs less');
  change('remove', 'remove files: the copies, their text in the index and their vectors', [
    'names',
    'names as they are listed',
  ]);
}

function partsOf(word: string): number {
  const limit = Number(word);
  if (Number.isInteger(limit) && limit > 0 && limit <= 50) return limit;
  throw new InvalidArgumentError('Give a whole number from 1 to 50.');
}

function tokensOf(word: string): number {
  const tokens = Number(word);
  if (Number.isInteger(tokens) && tokens >= 50 && tokens <= 100_000) return tokens;
  throw new InvalidArgumentError('Give a whole number from 50 to 100000.');
}

/** `dewpoint memory` and its subcommands. */
export function addMemory(program: Command, run: ProjectHandlers['memory']): void {
  const memory = subcommand(
    program,
    'memory',
    'manage what agents know in later tasks: lines that you wrote or kept',
    'dewpoint memory list',
  );
  const add = (name: string, description: string, example: string): Command =>
    subcommand(memory, name, description, `dewpoint memory ${name}${example}`)
      .option('--project <project>', 'its folder, its name or its id (default: the current folder)')
      .option('--json', 'print JSON');
  add('list', 'list the lines for every project and for this one', ' dates')
    .argument('[words...]', 'only lines with all of these words')
    .action((words: readonly string[], args: MemoryArguments) => run('list', words, args));
  add('add', 'add a line', ' "We write dates as 2026-11-29."')
    .argument('<text>', 'what agents should know, in one line')
    .option('--everywhere', 'for every project')
    .action((text: string, args: MemoryArguments) => run('add', [text], args));
  add('forget', 'remove a line, also from all logs', ' 3f2a9c01')
    .argument('<id>', 'the id of a line')
    .action((id: string, args: MemoryArguments) => run('forget', [id], args));
}
