import { Command } from 'commander';
import type { CompareArguments } from '../commands/compare.command.ts';
import type { LibraryAction, LibraryArguments } from '../commands/sessions/session-library.command.ts';
import type { CleanArguments } from '../commands/clean.command.ts';
import type { PlanArguments } from '../commands/models/memory-plan.command.ts';
import type { BudgetAction, BudgetArguments } from '../commands/budget.command.ts';
import { addModels, type ModelHandlers } from './models-program.ts';
import { addProjects, type ProjectHandlers } from './projects-program.ts';
import type { CostsArguments } from '../commands/costs.command.ts';
import type { DoctorArguments } from '../commands/doctor.command.ts';
import type { RunArguments } from '../commands/run.command.ts';
import type { SearchArguments } from '../commands/sessions/search-sessions.command.ts';
import type { RouteArguments } from '../commands/route.command.ts';
import { addRules } from './rules-program.ts';
import type { ImageAction, ImageArguments } from '../commands/sandbox-image.command.ts';
import type { ServeArguments } from '../commands/serve.command.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** What the subcommands do, handed in so that the program can be built (and its help read) without loading them. */
export interface Handlers extends ProjectHandlers, ModelHandlers {
  run(task: string, args: RunArguments): Promise<void>;
  chat(args: { readonly project?: string; readonly session?: string; readonly local?: string }): Promise<void>;
  compare(task: string | undefined, args: CompareArguments): Promise<void>;
  changes(session: string, words: readonly string[], args: { readonly json?: boolean }): Promise<void>;
  replay(session: string, args: { readonly json?: boolean }): Promise<void>;
  route(session: string | undefined, step: string | undefined, args: RouteArguments): Promise<void>;
  sessions(action: 'list' | 'show', session: string | undefined, args: { readonly json?: boolean }): Promise<void>;
  manifest(session: string, step: string, args: { readonly json?: boolean }): Promise<void>;
  searchSessions(text: string, args: SearchArguments): Promise<void>;
  library(action: LibraryAction, words: readonly string[], args: LibraryArguments): Promise<void>;
  keys(
    action: 'set' | 'list' | 'remove',
    provider: string | undefined,
    args: { readonly thisRun?: boolean; readonly json?: boolean },
  ): Promise<void>;
  costs(args: CostsArguments): Promise<void>;
  budget(action: BudgetAction, words: readonly string[], args: BudgetArguments): Promise<void>;
  settings(action: 'get' | 'set' | 'unset' | 'path', key: string | undefined, value: string | undefined): Promise<void>;
  plan(model: string | undefined, args: PlanArguments): Promise<void>;
  sandboxImage(action: ImageAction, word: string | undefined, args: ImageArguments): Promise<void>;
  clean(args: CleanArguments): Promise<void>;
  doctor(args: DoctorArguments): Promise<void>;
  serve(args: ServeArguments): Promise<void>;
}

/**
 * Handlers see only their own arguments; commander throws on wrong usage instead of ending the process, and says what
 * was wrong, in the words that were typed, through `terminal`.
 */
export function buildProgram(handlers: Handlers, version: string, terminal: Pick<Terminal, 'out' | 'err'>): Command {
  const program = new Command('dewpoint')
    .description('A coding agent that runs on your own machine first.')
    .version(version)
    .configureHelp({ showGlobalOptions: false })
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err })
    .showHelpAfterError('(see: dewpoint --help)')
    .exitOverride()
    .addHelpText(
      'after',
      '\nExample:\n  dewpoint run --project . "A test fails in this project. Find the bug and fix it."\n',
    );
  addRun(program, handlers);
  addChat(program, handlers);
  addCompare(program, handlers);
  addSessions(program, handlers);
  addModels(program, subcommand, handlers);
  addPlan(program, handlers);
  addMoney(program, handlers);
  addBudget(program, subcommand, (action, words, args) => handlers.budget(action, words, args));
  addRoute(program, handlers);
  addRules(program, subcommand, (action, word, args) => handlers.rules(action, word, args));
  addProjects(program, subcommand, handlers);
  addClean(program, handlers);
  addSandbox(program, subcommand, (action, word, args) => handlers.sandboxImage(action, word, args));
  addMachine(program, handlers);
  program.hook('preAction', (_program, command) => refuseEmpty(command));
  return program;
}

/** A variable of a script that was not set must not mean the folder one happens to be in. */
function refuseEmpty(command: Command): void {
  for (const option of command.options) {
    const value: unknown = command.getOptionValue(option.attributeName());
    if (isEmpty(value)) command.error(`error: option '${option.flags}' was given nothing`, { exitCode: 2 });
  }
  command.registeredArguments.forEach((argument, index) => {
    const value: unknown = command.processedArgs[index];
    if (isEmpty(value) && !mayBeEmpty.includes(argument.name()))
      command.error(`error: argument '${argument.name()}' is empty`, { exitCode: 2 });
  });
}

/** Also one of several. */
function isEmpty(value: unknown): boolean {
  return value === '' || (Array.isArray(value) && value.includes(''));
}

/** A task says itself what it lacks; a setting can be an empty text. */
const mayBeEmpty = ['task', 'value'];

/** As it is typed: `dewpoint sessions list`. */
function wordsOf(command: Command): string {
  return command.parent === null ? command.name() : `${wordsOf(command.parent)} ${command.name()}`;
}

function subcommand(parent: Command, name: string, description: string, example: string): Command {
  const command = parent.command(name).description(description).allowExcessArguments(false);
  return command
    .showHelpAfterError(`(see: ${wordsOf(command)} --help)`)
    .addHelpText('after', `\nExample:\n  ${example}\n`);
}

function addRun(program: Command, handlers: Handlers): void {
  subcommand(program, 'run', 'do a task and end', 'dewpoint run --project . --check "npm test" "Fix the failing test"')
    .argument('<task>', 'what to do, in words; - reads it from stdin')
    .option('--project <dir>', 'the folder to work on')
    .option('--workspace <mode>', 'in-place, copy or scratch (default: in-place with --project, else scratch)')
    .option('--session <id>', 'go on with a session')
    .option('--check <command>', 'the success criterion, run in the sandbox before and after')
    .option('--policy <policy>', 'local, cloud, hybrid (or auto), economy, balanced or quality')
    .option('--local <model>', 'the local model, PROVIDER/MODEL')
    .option('--cloud <model>', 'the cloud model, PROVIDER/MODEL')
    .option('--strategy <strategy>', 'auto, recipe or loop (default: auto)')
    .option('--max-steps <n>', 'model calls at most')
    .option('--max-minutes <n>', 'minutes at most')
    .option('--max-tokens <n>', 'tokens at most, read and written')
    .option('--max-usd <x>', 'US dollars at most')
    .option('--at-cap <what>', 'stop, local or ask, when a cap is reached (default: stop)')
    .option('--approve <how>', 'ask, deny or allow (default: ask)')
    .option('--network <hosts>', 'off, ask, or hosts with commas that commands may be given (default: ask)')
    .option('--instructions <how>', 'ask, use or off: files like AGENTS.md that nobody has approved (default: ask)')
    .option('--sandbox <tier>', 'container or read-only')
    .option('--seed <n>', 'seed of the sampling, for runs that can be compared')
    .option('--image <file>', 'show the model an image; may be given more than once', collect)
    .option('--file <file>', 'attach a text as data; may be given more than once', collect)
    .option('--plan', 'read only; ends with a plan')
    .option('--json', "print the session's events, one a line, on stdout")
    .option('--result <file>', 'write a summary as JSON at the end')
    .action((task: string, args: RunArguments) => handlers.run(task, args));
}

function addChat(program: Command, handlers: Handlers): void {
  subcommand(program, 'chat', 'the same in a conversation, with / commands', 'dewpoint chat --project .')
    .option('--project <dir>', 'the folder to work on')
    .option('--session <id>', 'go on with a session')
    .option('--local <model>', 'the local model, PROVIDER/MODEL')
    .action((args: Parameters<Handlers['chat']>[0]) => handlers.chat(args));
}

function addCompare(program: Command, handlers: Handlers): void {
  subcommand(
    program,
    'compare',
    'the same task under several policies, each in its own copy of the project',
    'dewpoint compare --project . --check "npm test" --policies local,cloud --cloud openai/NAME "Fix the failing test"',
  )
    .argument('[task]', 'what to do, in words; - reads it from stdin')
    .option('--project <dir>', 'the folder that each run gets a copy of')
    .option('--policies <list>', 'with commas (default: local,hybrid,cloud)')
    .option('--check <command>', 'what decides "solved", run in the sandbox after each run (default: its tests)')
    .option('--repeat <n>', 'runs of each policy (default: 1); medians and ranges are shown')
    .option('--local <model>', 'the local model, PROVIDER/MODEL')
    .option('--cloud <model>', 'the cloud model, PROVIDER/MODEL')
    .option('--strategy <strategy>', 'auto, recipe or loop (default: auto)')
    .option('--max-usd <x>', 'US dollars at most, for all runs together')
    .option('--seed <n>', 'seed of the first repeat; each further one takes the next number')
    .option('--resume <id>', 'go on with one that was stopped: what has ended is not done again; an id, or last')
    .option('--list', 'the comparisons so far')
    .option('--report <file>', 'write a report: Markdown, or JSON for a name that ends in .json')
    .option('--json', 'the result as JSON')
    .action((task: string | undefined, args: CompareArguments) => handlers.compare(task, args));
}

function addSessions(program: Command, handlers: Handlers): void {
  subcommand(
    program,
    'changes',
    'what a session changed; take it over or take it back',
    'dewpoint changes last undo src/app.py',
  )
    .argument('<session>', 'an id, the beginning of one, or last')
    .argument('[words...]', 'show, take or undo, then paths')
    .option('--json', 'as JSON')
    .action((session: string, words: readonly string[], args: { readonly json?: boolean }) =>
      handlers.changes(session, words, args),
    );
  subcommand(program, 'replay', 'play a session again: no model, no network, the same state', 'dewpoint replay last')
    .argument('<session>', 'an id, the beginning of one, or last')
    .option('--json', 'as JSON')
    .action((session: string, args: { readonly json?: boolean }) => handlers.replay(session, args));
  const sessions = subcommand(program, 'sessions', 'the sessions so far', 'dewpoint sessions list');
  subcommand(sessions, 'list', 'one line a session', 'dewpoint sessions list --json')
    .option('--json', 'as JSON')
    .action((args: { readonly json?: boolean }) => handlers.sessions('list', undefined, args));
  subcommand(sessions, 'show', 'everything of one', 'dewpoint sessions show last')
    .argument('<session>', 'an id, the beginning of one, or last')
    .option('--json', 'as JSON')
    .action((session: string, args: { readonly json?: boolean }) => handlers.sessions('show', session, args));
  subcommand(sessions, 'manifest', 'exactly what a step carried, or would have', 'dewpoint sessions manifest last 3')
    .argument('<session>', 'an id, the beginning of one, or last')
    .argument('<step>', 'its number')
    .option('--json', 'as JSON, with every text')
    .action((session: string, step: string, args: { readonly json?: boolean }) =>
      handlers.manifest(session, step, args),
    );
  subcommand(sessions, 'search', 'what was said and done in all of them', 'dewpoint sessions search parse_date')
    .argument('<text...>', 'words, or parts of words; "…" holds words together')
    .option('--limit <n>', 'at most this many places (default: 20)')
    .option('--json', 'as JSON')
    .action((words: readonly string[], args: SearchArguments) => handlers.searchSessions(words.join(' '), args));
  addLibrary(sessions, handlers);
}

/** What is done with a session as a whole. */
function addLibrary(sessions: Command, handlers: Handlers): void {
  const which = 'an id, the beginning of one, or last';
  subcommand(sessions, 'rename', 'give one another title', 'dewpoint sessions rename last "The failing date test"')
    .argument('<session>', which)
    .argument('<title>', 'what it is called from now on')
    .action((session: string, title: string) => handlers.library('rename', [session, title], {}));
  subcommand(
    sessions,
    'fork',
    'another way, from the end of one or from any step',
    'dewpoint sessions fork last --after 3',
  )
    .argument('<session>', which)
    .option('--before <n|id>', 'before a step, or before a message by its id')
    .option('--after <n|id>', 'after a step, or after a turn by its id')
    .option('--json', 'as JSON')
    .action((session: string, args: LibraryArguments) => handlers.library('fork', [session], args));
  subcommand(sessions, 'export', 'log and files of one in one file', 'dewpoint sessions export last date-test.dewpoint')
    .argument('<session>', which)
    .argument('<file>', 'the file to write')
    .action((session: string, file: string) => handlers.library('export', [session, file], {}));
  subcommand(sessions, 'import', 'a session out of such a file', 'dewpoint sessions import date-test.dewpoint')
    .argument('<file>', 'a file that `sessions export` wrote, here or elsewhere')
    .option('--json', 'as JSON')
    .action((file: string, args: LibraryArguments) => handlers.library('import', [file], args));
  subcommand(sessions, 'delete', 'into the bin; `sessions restore` brings it back', 'dewpoint sessions delete last')
    .argument('<session>', which)
    .action((session: string) => handlers.library('delete', [session], {}));
  subcommand(sessions, 'bin', 'what lies in the bin', 'dewpoint sessions bin')
    .option('--json', 'as JSON')
    .action((args: LibraryArguments) => handlers.library('bin', [], args));
  subcommand(sessions, 'restore', 'out of the bin again', 'dewpoint sessions restore last')
    .argument('<session>', which)
    .action((session: string) => handlers.library('restore', [session], {}));
  subcommand(sessions, 'purge', 'out of the bin for good', 'dewpoint sessions purge 20261121-094502-k3f9a2')
    .argument('<session>', which)
    .action((session: string) => handlers.library('purge', [session], {}));
}

function addPlan(program: Command, handlers: Handlers): void {
  subcommand(
    program,
    'plan',
    'how much context a model gets in which memory, every byte with its reason',
    'dewpoint plan qwen3-14b --card 24GiB',
  )
    .argument('[model]', 'a model of this machine or of the catalogue, or a .gguf file')
    .option('--keys <file>', 'the metadata keys of a GGUF header as JSON, instead of a model')
    .option('--context <n>', 'the tokens to ask for (default: as many as fit)')
    .option('--kv <type>', 'f16, q8_0 or q4_0 (default: f16, and q8_0 where that buys a step)')
    .option('--flash <how>', 'on or off (default: on)')
    .option('--ubatch <n>', 'tokens computed at once (default: 512)')
    .option('--slots <n>', 'conversations at the same time (default: 1)')
    .option('--unified', 'one cache for all slots')
    .option('--engine <name>', 'llama-server or node-llama-cpp (default: node-llama-cpp)')
    .option('--card <bytes[,free]>', 'imagine a card; repeat it for several (default: those of this machine)', collect)
    .option('--json', 'as JSON')
    .action((model: string | undefined, args: PlanArguments) => handlers.plan(model, args));
}

function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

function addRoute(program: Command, handlers: Handlers): void {
  subcommand(program, 'route', 'why a step ran where it ran', 'dewpoint route last 4')
    .argument('[session]', 'an id, the beginning of one, or last (default: what moved steps in all of them, by cause)')
    .argument('[step]', 'the number of a step (default: all, a line each)')
    .option('--json', 'as JSON')
    .option('--export <file>', 'write the decisions of the session, or of all, with their outcomes, as JSON lines')
    .option('--profiles', 'the numbers that the profiles are presets of, and your own')
    .action((session: string | undefined, step: string | undefined, args: RouteArguments) =>
      handlers.route(session, step, args),
    );
}

function addMoney(program: Command, handlers: Handlers): void {
  const keys = subcommand(
    program,
    'keys',
    "keys of services, in this system's key store",
    'dewpoint keys set anthropic',
  );
  subcommand(keys, 'set', 'keep a key and try it; it is typed, or read from stdin', 'dewpoint keys set openai < FILE')
    .argument('<provider>', 'a service, or a provider of the settings')
    .option('--this-run', 'keep it in memory only, while the app or dewpoint serve runs')
    .action((provider: string, args: { readonly thisRun?: boolean }) => handlers.keys('set', provider, args));
  subcommand(keys, 'list', 'which services have a key, and where it comes from', 'dewpoint keys list')
    .option('--json', 'as JSON')
    .action((args: { readonly json?: boolean }) => handlers.keys('list', undefined, args));
  subcommand(keys, 'remove', 'take a key out of the key store', 'dewpoint keys remove openai')
    .argument('<provider>', 'a service, or a provider of the settings')
    .action((provider: string) => handlers.keys('remove', provider, {}));
  subcommand(program, 'costs', 'what was spent so far', 'dewpoint costs --by model --since 2026-11-01')
    .option('--by <what>', 'day, model, project or session (default: day)')
    .option('--since <date>', 'the first day that counts')
    .option('--project <dir>', 'only this project')
    .option('--steps <session>', 'every step of a session, and what it would have cost in the other place')
    .option('--csv', 'as a table for spreadsheets')
    .option('--json', 'as JSON')
    .action((args: CostsArguments) => handlers.costs(args));
}

function addClean(program: Command, handlers: Handlers): void {
  subcommand(
    program,
    'clean',
    'what packages, images, copies, kept outputs and models take; removes what is not needed',
    'dewpoint clean --dry-run',
  )
    .option('--dry-run', 'remove nothing')
    .option('--packages', 'remove all installed packages of projects, needed or not')
    .option('--images', 'remove images that this version of Dewpoint and the settings do not use')
    .option('--model <name>', 'remove this model, needed or not; repeat it for several', collect)
    .option('--json', 'as JSON')
    .action((args: CleanArguments) => handlers.clean(args));
}

function addMachine(program: Command, handlers: Handlers): void {
  const settings = subcommand(program, 'settings', 'read and change the settings', 'dewpoint settings get');
  subcommand(settings, 'get', 'all settings, or one', 'dewpoint settings get limits.maxSteps')
    .argument('[key]', 'a name, with dots')
    .action((key: string | undefined) => handlers.settings('get', key, undefined));
  subcommand(settings, 'set', 'change one; the value is JSON or text', 'dewpoint settings set limits.maxSteps 60')
    .argument('<key>', 'a name, with dots')
    .argument('<value>', 'JSON, or text')
    .action((key: string, value: string) => handlers.settings('set', key, value));
  subcommand(settings, 'unset', 'the usual value of one again', 'dewpoint settings unset limits.maxSteps')
    .argument('<key>', 'a name, with dots')
    .action((key: string) => handlers.settings('unset', key, undefined));
  subcommand(settings, 'path', 'where the file lies', 'dewpoint settings path').action(() =>
    handlers.settings('path', undefined, undefined),
  );
  subcommand(program, 'doctor', 'what works on this machine and what does not', 'dewpoint doctor')
    .option('--json', 'as JSON')
    .option('--bundle <file>', 'write what helps with a problem into a file: no key, message, title or file content')
    .action((args: DoctorArguments) => handlers.doctor(args));
  subcommand(program, 'serve', 'the interface in the browser, on this machine only', 'dewpoint serve --open')
    .option('--port <n>', 'the port (default: a free one)')
    .option('--root <dir>', 'where projects lie (default: your home folder and this one)')
    .option('--open', 'open it in the browser')
    .option('--allow <what>', 'let the browser change keys or settings, or open a terminal; repeat it', collect)
    .action((args: ServeArguments) => handlers.serve(args));
}

/** `dewpoint sandbox image`, with all its words. `add` makes a subcommand with its example. */
export function addSandbox(
  program: Command,
  add: (parent: Command, name: string, description: string, example: string) => Command,
  run: (action: ImageAction, word: string | undefined, args: ImageArguments) => Promise<void>,
): void {
  const sandbox = add(program, 'sandbox', 'where commands run', 'dewpoint sandbox image use .');
  const image = add(sandbox, 'image', 'other images than its own', 'dewpoint sandbox image import image.tar');
  add(
    image,
    'import',
    'out of a file: a saved image, or the root of a file system',
    'dewpoint sandbox image import a.tar',
  )
    .argument('<file>', 'a tar archive')
    .option('--json', 'as JSON')
    .action((file: string, args: ImageArguments) => run('import', file, args));
  add(image, 'pull', 'from its registry; best with its digest', 'dewpoint sandbox image pull NAME@sha256:…')
    .argument('<name>', 'its name')
    .option('--json', 'as JSON')
    .action((name: string, args: ImageArguments) => run('pull', name, args));
  add(image, 'use', 'what a project wants to be worked on in: shows it, asks, makes it', 'dewpoint sandbox image use .')
    .argument('[dir]', 'the folder of the project (default: this one)')
    .option('--approval <hash>', 'where nobody can be asked: yes to exactly this')
    .option('--json', 'as JSON')
    .action((folder: string | undefined, args: ImageArguments) => run('use', folder, args));
}

type Subcommand = (parent: Command, name: string, description: string, example: string) => Command;
type Handler = (action: BudgetAction, words: readonly string[], args: BudgetArguments) => Promise<void>;

/** `dewpoint budget` and what is under it. */
export function addBudget(program: Command, subcommand: Subcommand, handle: Handler): void {
  const budget = subcommand(
    program,
    'budget',
    'caps on money, and how far they are used',
    'dewpoint budget set month 20',
  );
  subcommand(budget, 'show', 'every cap, and what is left of it', 'dewpoint budget show --project .')
    .option('--project <dir>', 'with what this project has spent, and its own cap')
    .option('--json', 'as JSON')
    .action((args: BudgetArguments) => handle('show', [], args));
  for (const [action, what] of [
    ['set', 'sets a cap; "none" takes it away'],
    ['raise', 'raises a cap by so many dollars'],
    ['lower', 'lowers a cap by so many dollars'],
  ] as const) {
    subcommand(budget, action, what, `dewpoint budget ${action} project 5 --project .`)
      .argument('<cap>', 'step, task, session, project, day or month')
      .argument('<dollars>', action === 'set' ? 'US dollars, or none' : 'US dollars')
      .option('--project <dir>', 'of the cap "project": for this one alone')
      .option('--json', 'as JSON')
      .action((cap: string, dollars: string, args: BudgetArguments) => handle(action, [cap, dollars], args));
  }
}
