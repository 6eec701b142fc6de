import { CommanderError } from 'commander';
import type { CommandContext } from '../text/command-context.ts';
import type { CoreConnection } from '../connection/core-connection.ts';
import type { OpenCore } from '../connection/open-core.ts';
import { endEvenIfSilent } from '../../lib/files/served-drives.ts';
import { writeProblem } from '../../lib/files/json-file.ts';
import type { GitHostWish, SearchWish } from './program/projects-program.ts';
import type { Handlers } from './program/program.ts';
import { buildProgram } from './program/program.ts';
import { stopOnSignals } from './stop-on-signals.ts';
import { processTerminal } from '../text/terminal.ts';

declare const __APP_VERSION__: string;

/**
 * The `dewpoint` command. Each subcommand loads its code when it runs, because `--help` must answer at once and the
 * core with its engines is large.
 */
async function main(argv: readonly string[]): Promise<number> {
  const terminal = processTerminal();
  const stop = new AbortController();
  listenForStop(stop, terminal.err);
  surfaceBugs(terminal.err);
  const connection = createLaterConnection(async () =>
    (await import('../connection/open-core.ts')).openCore(terminal, __APP_VERSION__, hostName(argv)),
  );
  const context: CommandContext = {
    terminal,
    core: async () => (await connection.open()).client,
    signal: stop.signal,
    now: () => performance.now(),
    version: __APP_VERSION__,
  };
  let code = 0;
  const take = async (work: Promise<number>): Promise<void> => {
    code = await work;
  };
  const program = buildProgram(handlersOf(context, connection, take), __APP_VERSION__, terminal);
  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    // Commander has already said what was wrong. Help and version also end here, with 0.
    code =
      error instanceof CommanderError
        ? error.exitCode === 0
          ? 0
          : 2
        : await report(await connection.explain(error), terminal);
  }
  code = await close(connection, code, terminal);
  return stop.signal.aborted && code === 1 ? 130 : code;
}

/** Loaded only when something fails. */
async function report(error: unknown, terminal: CommandContext['terminal']): Promise<number> {
  return (await import('../text/report-failure.ts')).reportFailure(error, terminal);
}

/** A connection whose code is loaded at its first use, because help needs none. */
function createLaterConnection(openCore: () => Promise<OpenCore>): CoreConnection {
  let made: Promise<CoreConnection> | null = null;
  const make = async (): Promise<CoreConnection> =>
    (await import('../connection/core-connection.ts')).createCoreConnection(openCore);
  const get = (): Promise<CoreConnection> => (made ??= make());
  return {
    open: async () => (await get()).open(),
    explain: async (error) => (await get()).explain(error),
    close: async () => (await made)?.close(),
  };
}

/** The subcommand, which is what this process is in the log. Anything else in its place may be a text of the user. */
function hostName([first = '']: readonly string[]): string {
  return /^[a-z-]{1,20}$/u.test(first) ? first : 'terminal';
}

/** Each handler loads what it needs when it runs. */
function handlersOf(
  context: CommandContext,
  door: CoreConnection,
  take: (work: Promise<number>) => Promise<void>,
): Handlers {
  return {
    run: async (task, args) => take((await import('./commands/run.command.ts')).run(context, task, args)),
    calibrate: async (folder, args) =>
      take((await import('./commands/projects/calibrate.command.ts')).calibrate(context, folder, args)),
    compare: async (task, args) => take((await import('./commands/compare.command.ts')).compare(context, task, args)),
    chat: async (args) => take((await import('./commands/chat.command.ts')).chat(context, args)),
    changes: async (session, words, args) =>
      take((await import('./commands/sessions/changes.command.ts')).changes(context, session, words, args)),
    capsule: async (action, words, args) =>
      take((await import('./commands/sessions/capsule.command.ts')).capsule(context, action, words, args)),
    replay: async (ids, args) =>
      take((await import('./commands/sessions/sessions.command.ts')).replaySession(context, ids, args)),
    route: async (session, step, args) =>
      take((await import('./commands/route.command.ts')).route(context, session, step, args)),
    ...sessionListHandlers(context, take),
    manifest: async (session, step, args) =>
      take((await import('./commands/sessions/manifest.command.ts')).manifest(context, session, step, args)),
    searchSessions: async (text, args) =>
      take((await import('./commands/sessions/search-sessions.command.ts')).searchSessions(context, text, args)),
    library: async (action, words, args) =>
      take((await import('./commands/sessions/session-library.command.ts')).library(context, action, words, args)),
    models: modelsHandler(context, take),
    keys: async (action, provider, args) => {
      const { listKeys, removeKey, setKey, signInForKey } = await import('./commands/keys.command.ts');
      if (action === 'list') return take(listKeys(context, args));
      if (action === 'sign-in') return take(signInForKey(context, provider ?? '', args));
      return take(action === 'set' ? setKey(context, provider ?? '', args) : removeKey(context, provider ?? ''));
    },
    costs: async (args) => take((await import('./commands/costs.command.ts')).costs(context, args)),
    receipt: async (args) => take((await import('./commands/sessions/receipt.command.ts')).receipt(context, args)),
    budget: async (action, words, args) =>
      take((await import('./commands/budget.command.ts')).budget(context, action, words, args)),
    settings: async (action, key, value) =>
      take((await import('./commands/settings.command.ts')).settings(context, action, [key, value])),
    rules: async (action, word, args) => {
      const { approveRules, checkRules, listRules, rulesPath, testRules } = await import('./commands/rules.command.ts');
      if (action === 'list') return take(listRules(context, args));
      if (action === 'path') return take(rulesPath(context, args));
      if (action === 'approve') return take(approveRules(context, word ?? '', args));
      return take(action === 'check' ? checkRules(context, word, args) : testRules(context, word, args));
    },
    tools: toolsHandler(context, take),
    plan: async (model, args) =>
      take((await import('./commands/models/memory-plan.command.ts')).plan(context, model, args)),
    sandboxImage: async (action, word, args) =>
      take((await import('./commands/sandbox-image.command.ts')).sandboxImage(context, action, word, args)),
    projects: async (action, word, args) => {
      if (action === 'list' || action === 'add' || action === 'remove')
        return take(
          (await import('./commands/projects/project-list.command.ts')).projectList(context, action, word, args),
        );
      return take(
        (await import('./commands/projects/project-page.command.ts')).projectPage(context, action, word, args),
      );
    },
    prepareProject: async (folder, args) =>
      take((await import('./commands/projects/prepare-project.command.ts')).prepareProject(context, folder, args)),
    searchProject: async (wish) => take(searchWith(context, wish)),
    mapProject: async (folder, args) =>
      take((await import('./commands/projects/map-project.command.ts')).mapProject(context, folder, args)),
    gitHost: (wish) => take(withGitHost(context, wish)),
    projectGit: async (ask, args) =>
      take((await import('./commands/projects/git.command.ts')).projectGit(context, ask, args)),
    instructions: async (action, folder, args) =>
      take((await import('./commands/projects/instructions.command.ts')).instructions(context, action, folder, args)),
    ...homeHandlers(context, take),
    serve: async (args) => take((await import('./commands/serve.command.ts')).serve(context, await door.open(), args)),
    serveKeys: async (...all) => take((await import('./commands/serve-api.command.ts')).serveKeys(context, ...all)),
  };
}

async function withGitHost(context: CommandContext, wish: GitHostWish): Promise<number> {
  switch (wish.type) {
    case 'token':
      return (await import('./commands/projects/git.command.ts')).gitToken(context, wish.host);
    case 'pull':
      return (await import('./commands/projects/pull-project.command.ts')).pullProject(context, wish.folder, wish.args);
    case 'push':
      return (await import('./commands/projects/push-project.command.ts')).pushProject(context, wish.folder, wish.args);
    case 'clone': {
      const { cloneProject } = await import('./commands/projects/clone-project.command.ts');
      return cloneProject(context, wish.url, wish.folder, wish.args);
    }
    default:
      return wish satisfies never;
  }
}

function sessionListHandlers(
  context: CommandContext,
  take: (work: Promise<number>) => Promise<void>,
): Pick<Handlers, 'evaluate' | 'listSessions' | 'showSession' | 'organize' | 'commitSession' | 'requestSession'> {
  return {
    evaluate: async (path, args) =>
      take((await import('./commands/sessions/eval.command.ts')).evaluate(context, path, args)),
    listSessions: async (args) =>
      take((await import('./commands/sessions/list-sessions.command.ts')).listSessions(context, args)),
    showSession: async (session, args) =>
      take((await import('./commands/sessions/sessions.command.ts')).showSession(context, session, args)),
    commitSession: async (session, args) =>
      take((await import('./commands/sessions/commit-session.command.ts')).commitSession(context, session, args)),
    requestSession: async (action, session, args) => {
      const { requestSession, reviewSession } = await import('./commands/sessions/request-session.command.ts');
      return take((action === 'request' ? requestSession : reviewSession)(context, session, args));
    },
    organize: async (action, sessions, tags) => {
      if (typeof action === 'object')
        return take(
          (await import('./commands/sessions/move-sessions.command.ts')).moveTalks(context, sessions, action),
        );
      return take(
        (await import('./commands/sessions/organize-sessions.command.ts')).organize(context, action, sessions, tags),
      );
    },
  };
}

function modelsHandler(context: CommandContext, take: (work: Promise<number>) => Promise<void>): Handlers['models'] {
  return async (action, id, args) => {
    if (action === 'suggest')
      return take((await import('./commands/models/suggest-models.command.ts')).suggestModels(context, args));
    if (action === 'probe')
      return take((await import('./commands/models/probe-model.command.ts')).probeModel(context, id ?? '', args));
    if (action === 'update-catalog' || action === 'reset-catalog')
      return take((await import('./commands/models/model-catalog.command.ts')).modelCatalog(context, id ?? null, args));
    if (action === 'show-prices' || action === 'update-prices' || action === 'reset-prices')
      return take((await import('./commands/models/model-prices.command.ts')).modelPrices(context, action, args));
    if (action === 'import' || action === 'adapter' || action === 'remove') {
      const { addAdapter, importModel, removeModel } = await import('./commands/models/model-files.command.ts');
      return take({ import: importModel, adapter: addAdapter, remove: removeModel }[action](context, id ?? '', args));
    }
    if (action === 'set')
      return take((await import('./commands/models/set-model.command.ts')).setModel(context, id ?? '', args));
    if (action === 'repair')
      return take((await import('./commands/models/repair-model.command.ts')).repairModel(context, id ?? '', args));
    const { listModels, pullModel, showModel } = await import('./commands/models/models.command.ts');
    if (action === 'list') return take(listModels(context, args));
    return take(action === 'show' ? showModel(context, id ?? '', args) : pullModel(context, id ?? ''));
  };
}

function homeHandlers(
  context: CommandContext,
  take: (work: Promise<number>) => Promise<void>,
): Pick<Handlers, 'acp' | 'assistants' | 'clean' | 'doctor' | 'memory' | 'programs' | 'skills'> {
  return {
    programs: async (action, words, args) =>
      take((await import('./commands/programs.command.ts')).programs(context, action, words, args)),
    assistants: async (action, words, args) =>
      take((await import('./commands/assistants.command.ts')).assistants(context, action, words, args)),
    memory: async (action, words, args) =>
      take((await import('./commands/projects/memory.command.ts')).memory(context, action, words, args)),
    skills: async (action, name, args) =>
      take((await import('./commands/projects/skills.command.ts')).skills(context, action, name, args)),
    acp: async () => take((await import('./commands/acp.command.ts')).acp(context)),
    clean: async (args) => take((await import('./commands/clean.command.ts')).clean(context, args)),
    doctor: async (args) => take((await import('./commands/doctor.command.ts')).doctor(context, args)),
  };
}

function toolsHandler(context: CommandContext, take: (work: Promise<number>) => Promise<void>): Handlers['tools'] {
  return async (action, words, args) =>
    take((await import('./commands/tools.command.ts')).tools(context, action, words, args));
}

async function close(door: CoreConnection, code: number, terminal: CommandContext['terminal']): Promise<number> {
  try {
    await door.close();
    return code;
  } catch (error) {
    // A core that could not be opened has been reported already.
    return code === 0 ? report(error, terminal) : code;
  }
}

/** Otherwise Node would print an error without making its text safe for the terminal, and the text may be foreign. */
function surfaceBugs(say: (text: string) => void): void {
  process.on('uncaughtException', (error) => {
    say(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(1);
  });
}

function listenForStop(stop: AbortController, say: (text: string) => void): void {
  stopOnSignals(process, stop, say);
  process.stdout.on('error', (error) => {
    if (!isReaderGone(error)) reportCutOutput(error, say);
    stop.abort();
  });
  process.stderr.on('error', () => undefined);
}

/** A reader that is gone (`| head`) is not an error: nobody needs the rest. */
function isReaderGone(error: NodeJS.ErrnoException): boolean {
  return error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED';
}

let isCut = false;

/** Incomplete output must not pass for complete, for example when it goes to a file on a full disk. */
function reportCutOutput(error: Error, say: (text: string) => void): void {
  if (isCut) return;
  isCut = true;
  say(`dewpoint: The output could not be written: ${writeProblem(error)}.\n`);
  process.on('exit', () => {
    process.exitCode = 1;
  });
}

void main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
  // Everything has ended by now. A handle that is still open must not block the terminal.
  setTimeout(() => {
    endEvenIfSilent();
    process.exit(code);
  }, 2_000).unref();
});

async function searchWith(context: CommandContext, wish: SearchWish): Promise<number> {
  if (wish.type === 'search')
    return (await import('./commands/projects/search-project.command.ts')).searchProject(context, wish, wish.args);
  if (wish.type === 'knowledge')
    return (await import('./commands/projects/knowledge.command.ts')).knowledge(context, wish);
  const { chosenFolders } = await import('./commands/projects/chosen-folders.command.ts');
  return chosenFolders(context, wish.action, wish.folder, wish.args);
}
