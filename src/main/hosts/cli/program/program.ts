import type { Command } from 'commander';
import type { CalibrateArguments } from '../commands/projects/calibrate.command.ts';
import type { EvalArguments } from '../commands/sessions/eval.command.ts';
import type { CompareArguments } from '../commands/compare.command.ts';
import type { CleanArguments } from '../commands/clean.command.ts';
import type { PlanArguments } from '../commands/models/memory-plan.command.ts';
import type { BudgetAction, BudgetArguments } from '../commands/budget.command.ts';
import { addModels, type ModelHandlers } from './models-program.ts';
import { addMemory, addProjects, addSkills, type ProjectHandlers } from './projects-program.ts';
import type { CostsArguments } from '../commands/costs.command.ts';
import type { ReceiptArguments } from '../commands/sessions/receipt.command.ts';
import type { DoctorArguments } from '../commands/doctor.command.ts';
import type { RunArguments } from '../commands/run.command.ts';
import { callFolder } from '@shared/sandbox/call-file.ts';
import { addRunFlags, type FlagValues } from './run-flags.ts';
import type { RouteArguments } from '../commands/route.command.ts';
import { addRules } from './rules-program.ts';
import type { ToolsAction, ToolsArguments } from './tools-program.ts';
import { addAssistants } from './assistants-program.ts';
import type { AssistantsAction, AssistantsArguments } from '../commands/assistants.command.ts';
import { addTools } from './tools-program.ts';
import { addPrograms } from './programs-program.ts';
import type { ProgramsAction, ProgramsArguments } from '../commands/programs.command.ts';
import type { ImageAction, ImageArguments } from '../commands/sandbox-image.command.ts';
import type { ServeArguments } from '../commands/serve.command.ts';
import type { Terminal } from '../../text/terminal.ts';
import { addCapsule, type RunCapsule } from './capsule-program.ts';
import { addSandbox } from './sandbox-program.ts';
import { addSessions, type SessionHandlers } from './sessions-program.ts';
import { collect, StrictCommand, subcommand } from './subcommand.ts';

/** The handlers of the subcommands. They are passed in, so that the program and its help work without loading them. */
export interface Handlers extends ProjectHandlers, ModelHandlers, SessionHandlers {
  run(task: string, args: RunArguments): Promise<void>;
  chat(args: FlagValues): Promise<void>;
  compare(task: string | undefined, args: CompareArguments): Promise<void>;
  evaluate(path: string, args: EvalArguments): Promise<void>;
  readonly capsule: RunCapsule;
  calibrate(folder: string | undefined, args: CalibrateArguments): Promise<void>;
  route(session: string | undefined, step: string | undefined, args: RouteArguments): Promise<void>;
  keys(
    action: 'set' | 'sign-in' | 'list' | 'remove',
    provider: string | undefined,
    args: { readonly thisRun?: boolean; readonly json?: boolean },
  ): Promise<void>;
  costs(args: CostsArguments): Promise<void>;
  receipt(args: ReceiptArguments): Promise<void>;
  budget(action: BudgetAction, words: readonly string[], args: BudgetArguments): Promise<void>;
  settings(action: 'get' | 'set' | 'unset' | 'path', key: string | undefined, value: string | undefined): Promise<void>;
  assistants(action: AssistantsAction, words: readonly string[], args: AssistantsArguments): Promise<void>;
  tools(action: ToolsAction, words: readonly string[], args: ToolsArguments): Promise<void>;
  programs(action: ProgramsAction, words: readonly string[], args: ProgramsArguments): Promise<void>;
  plan(model: string | undefined, args: PlanArguments): Promise<void>;
  sandboxImage(action: ImageAction, word: string | undefined, args: ImageArguments): Promise<void>;
  clean(args: CleanArguments): Promise<void>;
  doctor(args: DoctorArguments): Promise<void>;
  serve(args: ServeArguments): Promise<void>;
  acp(): Promise<void>;
  serveKeys(action: 'add' | 'list' | 'revoke', name: string, args: ServeKeysArguments): Promise<void>;
}

/**
 * Handlers receive only their own arguments. On wrong usage, commander throws instead of ending the process, and
 * explains it through `terminal`, in the words that were typed.
 */
export function buildProgram(handlers: Handlers, version: string, terminal: Pick<Terminal, 'out' | 'err'>): Command {
  const program = new StrictCommand('dewpoint')
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
  addCalibrate(program, handlers);
  addEval(program, handlers);
  addSessions(program, handlers);
  addCapsule(program, (action, words, args) => handlers.capsule(action, words, args));
  addModels(program, handlers);
  addPlan(program, handlers);
  addKeys(program, handlers);
  addCosts(program, handlers);
  addReceipt(program, handlers);
  addBudget(program, handlers);
  addRoute(program, handlers);
  addRules(program, (action, word, args) => handlers.rules(action, word, args));
  addAssistants(program, (action, words, args) => handlers.assistants(action, words, args));
  addSkills(program, (action, name, args) => handlers.skills(action, name, args));
  addMemory(program, (action, words, args) => handlers.memory(action, words, args));
  addTools(program, (action, words, args) => handlers.tools(action, words, args));
  addPrograms(program, (action, words, args) => handlers.programs(action, words, args));
  addProjects(program, handlers);
  addClean(program, handlers);
  addSandbox(program, (action, word, args) => handlers.sandboxImage(action, word, args));
  addMachine(program, handlers);
  program.hook('preAction', (_program, command) => refuseEmpty(command));
  return program;
}

/** Refuses empty values: an unset variable of a script must not mean the current folder. */
function refuseEmpty(command: Command): void {
  for (const option of command.options) {
    const value: unknown = command.getOptionValue(option.attributeName());
    if (isEmpty(value)) command.error(`error: option '${option.flags}' needs a value`, { exitCode: 2 });
  }
  command.registeredArguments.forEach((argument, index) => {
    const value: unknown = command.processedArgs[index];
    if (isEmpty(value) && !mayBeEmpty.includes(argument.name()))
      command.error(`error: argument '${argument.name()}' is empty`, { exitCode: 2 });
  });
}

/** True also if one of several values is empty. */
function isEmpty(value: unknown): boolean {
  return value === '' || (Array.isArray(value) && value.includes(''));
}

/** The task has its own message for an empty text, and a setting can be an empty text. */
const mayBeEmpty = ['task', 'value'];

function addRun(program: Command, handlers: Handlers): void {
  const run = subcommand(
    program,
    'run',
    'work on one task, then exit',
    'dewpoint run --project . --check "npm test" "Fix the failing test"',
  );
  addRunFlags(run)
    .argument('[task]', 'what you would like done; - reads it from stdin', '')
    .option('--issue <issue>', "begin from an issue of the project's host: its number or address")
    .option('--remote <name>', 'the remote whose host has the issue, if the project has several')
    .option(
      '--also <model>',
      'ask this model the same question, in a branch of the session; repeatable, up to 3',
      collect,
    )
    .option('--image <file>', 'show the model an image; repeatable', collect)
    .option('--file <file>', 'attach a text, a document or an image; repeatable', collect)
    .option('--json', "print the session's events as JSON, one per line")
    .option('--result <file>', 'write a summary as JSON when the run ends')
    .option('--save-calls', `write each tool call into ${callFolder} of the folder as it ends`)
    .action((task: string, args: RunArguments) => handlers.run(task, args));
}

function addChat(program: Command, handlers: Handlers): void {
  const chat = subcommand(program, 'chat', 'work in a conversation, with / commands', 'dewpoint chat --project .');
  addRunFlags(chat).action((args: FlagValues) => handlers.chat(args));
}

function addCompare(program: Command, handlers: Handlers): void {
  subcommand(
    program,
    'compare',
    'let several models or policies do the same tasks, each in its own copy of the project',
    'dewpoint compare --project . --check "npm test" --way local --way cloud:openai/NAME,effort=high "Fix the failing test"',
  )
    .argument('[task]', 'what you would like done; - reads it from stdin')
    .option('--project <dir>', 'the project folder; each run gets a copy (default: that of --sessions)')
    .option(
      '--way <way>',
      'compare this way; repeatable: local, cloud or hybrid, with :PROVIDER/MODEL, ,effort=HOW, ,strategy=HOW, ,assistant=NAME',
      collect,
    )
    .option('--policies <list>', 'short for one --way each, separated by commas (default: local,hybrid,cloud)')
    .option(
      '--tasks <folder>',
      'do each .md or .txt file of a folder; a line "check: COMMAND" at its start is its check',
    )
    .option('--sessions <list>', 'do the first message of these sessions, separated by commas, with their checks')
    .option('--check <command>', "the success check, run in the sandbox after each run (default: the project's tests)")
    .option('--judge <model>', 'a model that says which of two answers is better, without knowing which way made them')
    .option('--rubric <text>', 'what the judge goes by: a text or a file')
    .option('--approve <how>', 'the answer to every question in the runs: deny or allow (default: deny)')
    .option('--repeat <n>', 'runs of each task in each way (default: 1); shows intervals')
    .option('--local <model>', 'the local model of ways that name none, PROVIDER/MODEL')
    .option('--cloud <model>', 'the cloud model of ways that name none, PROVIDER/MODEL')
    .option('--strategy <strategy>', 'auto, recipe or loop, for ways that name none (default: auto)')
    .option('--max-usd <x>', 'spending limit for all runs and the judge together, in US dollars')
    .option('--seed <n>', 'seed of the first run; each repeat takes the next number')
    .option('--resume <id>', 'resume a stopped comparison: its id, or last; finished runs are kept')
    .option('--list', 'list your comparisons')
    .option('--report <file>', 'write a report: .html, .csv, .json, else Markdown; may be repeated', collect)
    .option('--json', 'print the result as JSON')
    .action((task: string | undefined, args: CompareArguments) => handlers.compare(task, args));
}

function addCalibrate(program: Command, handlers: Handlers): void {
  subcommand(
    program,
    'calibrate',
    'find out what your local models solve in a project, by tasks out of the project itself',
    'dewpoint calibrate . --minutes 120 --report worth.html',
  )
    .argument('[dir]', 'the project folder; everything works on copies of it')
    .option('--local <list>', 'local models, PROVIDER/MODEL, separated by commas (default: yours)')
    .option('--cloud <model>', 'work on a chosen few of the tasks with this cloud model, too; needs --max-usd')
    .option('--max-usd <x>', 'spending limit for the cloud model, in US dollars')
    .option('--tasks <n>', 'how many tasks are made at most (default: 24)')
    .option('--minutes <n>', 'stop after so many minutes of work; resume it later')
    .option('--task-minutes <n>', 'a task that takes longer counts as not solved (default: 10)')
    .option('--when-idle', 'begin each task when nothing else is done on this machine')
    .option('--at <hh:mm>', 'begin when the clock shows this time; Ctrl-C ends the wait')
    .option('--only-tasks', 'make and check the tasks, without asking a model')
    .option('--seed <n>', 'draws other tasks (default: 1)')
    .option('--resume <id>', 'resume a stopped calibration: its id, or last; what was done is kept')
    .option('--list', 'list your calibrations')
    .option('--report <file>', 'write a report: a page (.html), JSON (.json) or Markdown; may be repeated', collect)
    .option('--json', 'print the result as JSON')
    .action((folder: string | undefined, args: CalibrateArguments) => handlers.calibrate(folder, args));
}

function addEval(program: Command, handlers: Handlers): void {
  subcommand(
    program,
    'eval',
    'run a set of tasks with hidden checks in several ways, each in a copy, and count what was solved',
    'dewpoint eval examples/tasks --policies local --repeat 3 --report eval.html',
  )
    .argument('<tasks>', 'a folder of tasks or exercises, or a .jsonl file of records as SWE-bench has them')
    .option('--repos <dir>', 'for records: the folder with their repositories, INSTANCE_ID or OWNER__NAME')
    .option('--policies <list>', 'separated by commas (default: local)')
    .option('--local <models>', 'local models, PROVIDER/MODEL, separated by commas')
    .option('--cloud <model>', 'the cloud model, PROVIDER/MODEL')
    .option('--strategy <strategy>', 'auto, recipe or loop (default: auto)')
    .option('--repeat <n>', 'runs of each task in each way (default: 1)')
    .option('--seed <n>', 'seed of the first run; each repeat takes the next number')
    .option('--only <glob>', 'only tasks whose id fits')
    .option('--limit <n>', 'only the first tasks')
    .option('--max-usd <x>', 'spending limit for all runs, in US dollars')
    .option('--fresh', 'begin anew; else the same command goes on where it stopped')
    .option('--experiments', 'also run experiments, in which a command gives a false answer')
    .option('--report <file>', 'write a report: .md, .html or .json; may be repeated', collect)
    .option('--json', 'print the result as JSON')
    .action((path: string, args: EvalArguments) => handlers.evaluate(path, args));
}

function addPlan(program: Command, handlers: Handlers): void {
  subcommand(
    program,
    'plan',
    'show how much context a model gets, and in which memory',
    'dewpoint plan qwen3-14b --card 24GiB',
  )
    .argument('[model]', 'a model on this machine or in the catalog, or a .gguf file')
    .option('--keys <file>', 'a JSON file with the keys of a GGUF header, instead of a model')
    .option('--context <n>', 'context size in tokens (default: as many as fit)')
    .option('--kv <type>', 'cache type: f16, q8_0 or q4_0 (default: f16, or q8_0 if the context gets longer)')
    .option('--flash <how>', 'flash attention, on or off (default: on)')
    .option('--ubatch <n>', 'tokens computed at once (default: 512)')
    .option('--slots <n>', 'parallel conversations (default: 1)')
    .option('--unified', 'share one cache among all slots')
    .option('--engine <name>', 'llama-server or node-llama-cpp (default: node-llama-cpp)')
    .option(
      '--card <bytes[,free]>',
      'plan for this graphics card; repeatable (default: the cards of this machine)',
      collect,
    )
    .option('--json', 'print JSON')
    .action((model: string | undefined, args: PlanArguments) => handlers.plan(model, args));
}

function addRoute(program: Command, handlers: Handlers): void {
  subcommand(program, 'route', 'show why a step ran where it did', 'dewpoint route last 4')
    .argument('[session]', 'a session id, the beginning of one, or last (default: a summary of all sessions)')
    .argument('[step]', 'the step number (default: all steps, one per line)')
    .option('--json', 'print JSON')
    .option('--export <file>', 'write routing decisions and their outcomes as JSON lines')
    .option('--profiles', 'show the numbers of each profile, and your own')
    .option('--learned', 'show what was learned about your models, and from what')
    .option('--expect <task>', 'show what a task is likely to bring here, in both places and in the cloud')
    .option('--forget', 'forget what was learned: everything, or with --project only there')
    .option('--use <way>', 'use a way from now on; usual: no longer')
    .option('--kind <kind>', 'with --use, only for fix, edit, make or answer')
    .option('--used', 'list the ways that you chose for kinds of tasks')
    .option('--project <project>', 'the project for --use, --learned, --expect and --forget')
    .action((session: string | undefined, step: string | undefined, args: RouteArguments) =>
      handlers.route(session, step, args),
    );
}

function addKeys(program: Command, handlers: Handlers): void {
  const keys = subcommand(
    program,
    'keys',
    "manage the keys of providers in your system's key store",
    'dewpoint keys set anthropic',
  );
  subcommand(
    keys,
    'set',
    'save and test a key that you type, or that is read from stdin',
    'dewpoint keys set openai < FILE',
  )
    .argument('<provider>', 'a known provider, or one from your settings')
    .option('--this-run', 'keep the key in memory only, while the app or dewpoint serve runs')
    .action((provider: string, args: { readonly thisRun?: boolean }) => handlers.keys('set', provider, args));
  subcommand(keys, 'sign-in', 'sign in by your browser for a key', 'dewpoint keys sign-in openrouter')
    .argument('<provider>', 'a provider that offers it')
    .option('--this-run', 'keep the key in memory only, while the app or dewpoint serve runs')
    .action((provider: string, args: { readonly thisRun?: boolean }) => handlers.keys('sign-in', provider, args));
  subcommand(keys, 'list', 'list providers, and where their keys come from', 'dewpoint keys list')
    .option('--json', 'print JSON')
    .action((args: { readonly json?: boolean }) => handlers.keys('list', undefined, args));
  subcommand(keys, 'remove', 'remove a key from the key store', 'dewpoint keys remove openai')
    .argument('<provider>', 'a known provider, or one from your settings')
    .action((provider: string) => handlers.keys('remove', provider, {}));
}

/** `dewpoint budget` and its subcommands. */
function addBudget(program: Command, handlers: Handlers): void {
  const budget = subcommand(program, 'budget', 'manage spending limits', 'dewpoint budget set month 20');
  subcommand(budget, 'show', 'show each spending limit, and what is left of it', 'dewpoint budget show --project .')
    .option('--project <project>', "include this project's spending and its own limit")
    .option('--json', 'print JSON')
    .action((args: BudgetArguments) => handlers.budget('show', [], args));
  for (const [action, what] of [
    ['set', 'set a spending limit; "none" removes it'],
    ['raise', 'raise a spending limit by an amount'],
    ['lower', 'lower a spending limit by an amount'],
  ] as const) {
    subcommand(budget, action, what, `dewpoint budget ${action} project 5 --project .`)
      .argument('<limit>', 'step, task, session, project, day or month')
      .argument('<dollars>', action === 'set' ? 'US dollars, or none' : 'US dollars')
      .option('--project <project>', 'for the limit "project": set it for this one alone')
      .option('--json', 'print JSON')
      .action((cap: string, dollars: string, args: BudgetArguments) => handlers.budget(action, [cap, dollars], args));
  }
}

function addCosts(program: Command, handlers: Handlers): void {
  subcommand(program, 'costs', 'show what was spent', 'dewpoint costs --by model --since 2026-11-01')
    .option('--by <what>', 'group by day, model, project or session (default: day)')
    .option('--since <date>', 'the first day to include')
    .option('--project <project>', 'only this project')
    .option('--month', 'show what a month of this work costs: as you work, all in the cloud, all on this machine')
    .option('--steps <session>', 'show each step of a session, and its cost in the other place')
    .option('--csv', 'print a table for spreadsheets')
    .option('--json', 'print JSON')
    .action((args: CostsArguments) => handlers.costs(args));
}

function addReceipt(program: Command, handlers: Handlers): void {
  subcommand(
    program,
    'receipt',
    'show what left this machine, and what could have and did not',
    'dewpoint receipt --month 2026-11 --file november.receipt',
  )
    .option('--session <session>', 'of one session, with the sessions that it started')
    .option('--project <project>', 'of a project')
    .option('--month <month>', 'of a month, such as 2026-11 (default: this month)')
    .option('--here', 'also show what moved inside of this machine')
    .option('--json', 'print JSON')
    .option('--file <file>', 'save it as a signed file')
    .action((args: ReceiptArguments) => handlers.receipt(args));
}

function addClean(program: Command, handlers: Handlers): void {
  subcommand(program, 'clean', 'show what takes disk space, and remove what is not needed', 'dewpoint clean --dry-run')
    .option('--dry-run', 'show only; remove nothing')
    .option('--packages', 'also remove installed packages that projects still need')
    .option('--images', 'also remove images that neither this version nor your settings use')
    .option('--model <name>', 'also remove this model, even if it is needed; repeatable', collect)
    .option('--json', 'print JSON')
    .action((args: CleanArguments) => handlers.clean(args));
}

export interface ServeKeysArguments {
  readonly cloud?: boolean;
  readonly json?: boolean;
}

/** `dewpoint serve keys` and its subcommands. */
function addServeKeys(serve: Command, handlers: Handlers): void {
  const keys = subcommand(
    serve,
    'keys',
    'manage the keys of programs that use --api',
    'dewpoint serve keys add my-editor',
  );
  subcommand(keys, 'add', 'make a key for a program, and print it once', 'dewpoint serve keys add my-editor')
    .argument('<name>', 'what you call the program; costs show it')
    .option('--cloud', 'also let it use cloud models, within your spending limits')
    .action((name: string, args: ServeKeysArguments) => handlers.serveKeys('add', name, args));
  subcommand(keys, 'list', 'list the programs that have a key', 'dewpoint serve keys list')
    .option('--json', 'print JSON')
    .action((args: ServeKeysArguments) => handlers.serveKeys('list', '', args));
  subcommand(keys, 'revoke', 'revoke the key of a program, and end its calls', 'dewpoint serve keys revoke my-editor')
    .argument('<name>', 'as in the list')
    .action((name: string) => handlers.serveKeys('revoke', name, {}));
}

function addMachine(program: Command, handlers: Handlers): void {
  const settings = subcommand(program, 'settings', 'show and change settings', 'dewpoint settings get');
  subcommand(settings, 'get', 'show all settings, or one', 'dewpoint settings get limits.maxSteps')
    .argument('[key]', 'a name with dots')
    .action((key: string | undefined) => handlers.settings('get', key, undefined));
  subcommand(settings, 'set', 'change a setting', 'dewpoint settings set limits.maxSteps 60')
    .argument('<key>', 'a name with dots')
    .argument('<value>', 'JSON or text')
    .action((key: string, value: string) => handlers.settings('set', key, value));
  subcommand(settings, 'unset', 'reset a setting to its default', 'dewpoint settings unset limits.maxSteps')
    .argument('<key>', 'a name with dots')
    .action((key: string) => handlers.settings('unset', key, undefined));
  subcommand(settings, 'path', 'print the path of the settings file', 'dewpoint settings path').action(() =>
    handlers.settings('path', undefined, undefined),
  );
  subcommand(program, 'doctor', 'check what works on this machine', 'dewpoint doctor')
    .option('--json', 'print JSON')
    .option(
      '--bundle <file>',
      'write details for a bug report to a file, without keys, messages, titles or file contents',
    )
    .option('--log', 'print the log of what went wrong inside Dewpoint')
    .option(
      '--try [what]',
      'also run a first command, start each tool server, and ask each model on this machine; or only what you name',
    )
    .action((args: DoctorArguments) => handlers.doctor(args));
  const serve = subcommand(
    program,
    'serve',
    'use Dewpoint in a browser on this machine, or your models from other programs',
    'dewpoint serve --open',
  )
    .option('--port <n>', 'the port (default: a free one; with --api: 7717)')
    .option('--api', 'serve models to other programs instead: OpenAI and Anthropic APIs')
    .option('--root <dir>', 'the folder of your projects (default: your home folder and the current one)')
    .option('--open', 'open the browser')
    .option('--allow <what>', 'what the browser may do: keys, settings or terminal; repeatable', collect)
    .action((args: ServeArguments) => handlers.serve(args));
  addServeKeys(serve, handlers);
  subcommand(
    program,
    'acp',
    'be an agent for your editor, by the Agent Client Protocol; your editor starts this',
    'dewpoint acp',
  ).action(() => handlers.acp());
}
