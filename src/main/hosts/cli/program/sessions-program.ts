import type { Command } from 'commander';
import type { ChangesArguments } from '../commands/sessions/changes.command.ts';
import type { LibraryAction, LibraryArguments } from '../commands/sessions/session-library.command.ts';
import type { ReplayArguments } from '../commands/sessions/ask-again.command.ts';
import type { SearchArguments } from '../commands/sessions/search-sessions.command.ts';
import type { CommitArguments } from '../commands/sessions/commit-session.command.ts';
import type { RequestArguments } from '../commands/sessions/request-session.command.ts';
import type { ListArguments } from '../commands/sessions/list-sessions.command.ts';
import type { MoveArguments } from '../commands/sessions/move-sessions.command.ts';
import type { OrganizeAction } from '../commands/sessions/organize-sessions.command.ts';
import { subcommand } from './subcommand.ts';

export interface SessionHandlers {
  changes(session: string, words: readonly string[], args: ChangesArguments): Promise<void>;
  replay(sessions: readonly string[], args: ReplayArguments): Promise<void>;
  listSessions(args: ListArguments): Promise<void>;
  showSession(session: string, args: { readonly json?: boolean }): Promise<void>;
  organize(action: OrganizeAction | MoveArguments, sessions: readonly string[], tags: readonly string[]): Promise<void>;
  manifest(session: string, step: string, args: { readonly json?: boolean }): Promise<void>;
  searchSessions(text: string, args: SearchArguments): Promise<void>;
  commitSession(session: string, args: CommitArguments): Promise<void>;
  requestSession(action: 'request' | 'review', session: string, args: RequestArguments): Promise<void>;
  library(action: LibraryAction, words: readonly string[], args: LibraryArguments): Promise<void>;
}

/** `dewpoint changes`, `dewpoint replay` and `dewpoint sessions`. */
export function addSessions(program: Command, handlers: SessionHandlers): void {
  subcommand(program, 'changes', 'show, take or undo what a session changed', 'dewpoint changes last undo src/app.py')
    .argument('<session>', 'a session id, the beginning of one, or last')
    .argument('[words...]', 'show, take or undo, then paths')
    .option('--hunk <numbers>', 'only these hunks of one file, as `show` numbers them, such as 2 or 1,3')
    .option('--json', 'print JSON')
    .action((session: string, words: readonly string[], args: ChangesArguments) =>
      handlers.changes(session, words, args),
    );
  subcommand(
    program,
    'replay',
    'replay a session without a model or network, and compare the state',
    'dewpoint replay last --on llama-cpp/qwen2.5-coder-1.5b-instruct',
  )
    .argument('[sessions...]', 'a session id, the beginning of one, or last; several with --on')
    .option('--on <model>', 'ask this model each recorded request anew, and compare what it does; no file is touched')
    .option('--run', 'with --on: do the task of the session anew, on the files as they were before it, in a copy')
    .option('--since <when>', 'with --on: what all sessions asked since then, such as 7d, 12h or 2026-11-21')
    .option('--max-usd <x>', 'with --on: the most that all of it may cost, in US dollars')
    .option('--price', 'with --on: say what it would take, and ask nothing')
    .option('--resume', 'with --on: resume a cut replay; what the model answered is not asked again')
    .option('--json', 'print JSON')
    .action((ids: readonly string[], args: ReplayArguments) => handlers.replay(ids, args));
  const sessions = subcommand(program, 'sessions', 'manage your sessions', 'dewpoint sessions list');
  subcommand(sessions, 'list', 'list sessions, one per line', 'dewpoint sessions list --json')
    .option('--project <project>', 'only sessions of this project')
    .option('--tag <tag>', 'only sessions with this tag')
    .option('--model <model>', 'only sessions in which a model of this name, or a part of it, was called')
    .option('--place <where>', 'local: no call in the cloud; cloud: at least one')
    .option('--since <date>', 'only sessions that were worked on since this day')
    .option('--min-cost <usd>', 'only sessions that cost this much or more, in US dollars')
    .option('--pinned', 'only pinned sessions')
    .option('--archived', 'archived sessions instead of the others')
    .option('--json', 'print JSON')
    .action((args: ListArguments) => handlers.listSessions(args));
  subcommand(sessions, 'show', 'show everything about a session', 'dewpoint sessions show last')
    .argument('<session>', 'a session id, the beginning of one, or last')
    .option('--json', 'print JSON')
    .action((session: string, args: { readonly json?: boolean }) => handlers.showSession(session, args));
  subcommand(
    sessions,
    'manifest',
    'show exactly what a step sent, or would have sent',
    'dewpoint sessions manifest last 3',
  )
    .argument('<session>', 'a session id, the beginning of one, or last')
    .argument('<step>', 'the step number')
    .option('--json', 'print JSON with every text')
    .action((session: string, step: string, args: { readonly json?: boolean }) =>
      handlers.manifest(session, step, args),
    );
  subcommand(sessions, 'search', 'search what was said and done in all sessions', 'dewpoint sessions search parse_date')
    .argument('<text...>', 'words or parts of words; "…" keeps words together')
    .option('--limit <n>', 'the most results to show (default: 20)')
    .option('--json', 'print JSON')
    .action((words: readonly string[], args: SearchArguments) => handlers.searchSessions(words.join(' '), args));
  addOrganizing(sessions, handlers);
  addGitWork(sessions, handlers);
  addLibrary(sessions, handlers);
}

const organizing = [
  ['pin', 'keep sessions at the top of the list'],
  ['unpin', 'put pinned sessions back in their place'],
  ['archive', 'take sessions out of the list; search and --archived still find them'],
  ['unarchive', 'put archived sessions back in the list'],
  ['save-calls', 'write each tool call of sessions into their folder as it ends'],
  ['unsave-calls', 'write no more tool calls; the files stay'],
] as const;

/** Subcommands that organize the list of sessions. */
function addOrganizing(sessions: Command, handlers: SessionHandlers): void {
  for (const [action, description] of organizing) {
    subcommand(sessions, action, description, `dewpoint sessions ${action} last`)
      .argument('<session...>', 'session ids, the beginnings of some, or last')
      .action((ids: readonly string[]) => handlers.organize(action, ids, []));
  }
  for (const action of ['tag', 'untag'] as const) {
    const description = action === 'tag' ? 'add tags to a session' : 'remove tags from a session';
    subcommand(sessions, action, description, `dewpoint sessions ${action} last billing`)
      .argument('<session>', 'a session id, the beginning of one, or last')
      .argument('<tags...>', 'words of your own; a tag of two words stands in quotes')
      .action((session: string, tags: readonly string[]) => handlers.organize(action, [session], tags));
  }
}

/** Into a project and out of it. */
function addMove(sessions: Command, handlers: SessionHandlers): void {
  subcommand(
    sessions,
    'move',
    'move sessions into a project or out of it; what was said stays',
    'dewpoint sessions move last --project "Tax 2026"',
  )
    .argument('<session...>', 'session ids, the beginnings of some, or last')
    .requiredOption('--project <project>', 'its name, its id or its folder; none: out of its project')
    .option('--yes', 'move without asking')
    .action((ids: readonly string[], args: MoveArguments) => handlers.organize(args, ids, []));
}

/** Back from the bin, or back to a checkpoint. */
function addRestore(sessions: Command, handlers: SessionHandlers): void {
  subcommand(
    sessions,
    'checkpoints',
    'list the messages and steps that a session can be restored to',
    'dewpoint sessions checkpoints last',
  )
    .argument('<session>', 'a session id, the beginning of one, or last')
    .option('--json', 'print JSON')
    .action((session: string, args: LibraryArguments) => handlers.library('checkpoints', [session], args));
  subcommand(
    sessions,
    'restore',
    'restore files and conversation to a checkpoint (git commits stay), or a session from the bin',
    'dewpoint sessions restore last 3',
  )
    .argument('<session>', 'a session id, the beginning of one, or last')
    .argument(
      '[checkpoint]',
      'before this: a step number, or an id of `sessions checkpoints`; without it: from the bin',
    )
    .option('--files', 'only the files')
    .option('--conversation', 'only the conversation')
    .option('--replace', 'also files that you changed since and that cannot be merged; an undo brings yours back')
    .option('--dry-run', 'only say what would happen')
    .option('--json', 'print JSON')
    .action((session: string, checkpoint: string | undefined, args: LibraryArguments) =>
      handlers.library('restore', checkpoint === undefined ? [session] : [session, checkpoint], args),
    );
}

/** Subcommands for whole sessions. */
function addLibrary(sessions: Command, handlers: SessionHandlers): void {
  const which = 'a session id, the beginning of one, or last';
  subcommand(sessions, 'rename', 'rename a session', 'dewpoint sessions rename last "The failing date test"')
    .argument('<session>', which)
    .argument('<title>', 'the new title')
    .action((session: string, title: string) => handlers.library('rename', [session, title], {}));
  subcommand(
    sessions,
    'fork',
    'start a new session from the end of another one, or from any step',
    'dewpoint sessions fork last --after 3',
  )
    .argument('<session>', which)
    .option('--before <n|id>', 'fork before a step, or before a message by its id')
    .option('--after <n|id>', 'fork after a step, or after a turn by its id')
    .option('--json', 'print JSON')
    .action((session: string, args: LibraryArguments) => handlers.library('fork', [session], args));
  subcommand(
    sessions,
    'export',
    'write a session to one file: to import again, to read (.md, .html), or its tool calls (.jsonl)',
    'dewpoint sessions export last date-test.html',
  )
    .argument('<session>', which)
    .argument('<file>', 'the file to write')
    .action((session: string, file: string) => handlers.library('export', [session, file], {}));
  subcommand(sessions, 'import', 'import an exported session', 'dewpoint sessions import date-test.dewpoint')
    .argument('<file>', 'a file that `sessions export` wrote')
    .option('--json', 'print JSON')
    .action((file: string, args: LibraryArguments) => handlers.library('import', [file], args));
  subcommand(
    sessions,
    'delete',
    'move a session to the bin; `sessions restore` brings it back',
    'dewpoint sessions delete last',
  )
    .argument('<session>', which)
    .action((session: string) => handlers.library('delete', [session], {}));
  subcommand(sessions, 'bin', 'list the sessions in the bin', 'dewpoint sessions bin')
    .option('--json', 'print JSON')
    .action((args: LibraryArguments) => handlers.library('bin', [], args));
  addRestore(sessions, handlers);
  addMove(sessions, handlers);
  subcommand(
    sessions,
    'purge',
    'delete a session in the bin for good',
    'dewpoint sessions purge 20261121-094502-k3f9a2',
  )
    .argument('<session>', which)
    .action((session: string) => handlers.library('purge', [session], {}));
}

/** Subcommands that bring the work of a session into git. */
function addGitWork(sessions: Command, handlers: SessionHandlers): void {
  subcommand(
    sessions,
    'commit',
    'commit what a session changed on a branch of its own; your checkout stays as it is',
    'dewpoint sessions commit last --message "Fix the date"',
  )
    .argument('<session>', 'a session id, the beginning of one, or last')
    .option('--branch <name>', 'the branch (default: dewpoint/TASK)')
    .option('--message <text>', 'the message (default: the title of the session)')
    .option('--yes', 'commit without asking')
    .option('--json', 'print JSON')
    .action((session: string, args: CommitArguments) => handlers.commitSession(session, args));
  const remote = ['--remote <name>', 'the remote (default: the only one, or origin)'] as const;
  const branch = ['--branch <name>', 'the branch of the session (default: dewpoint/TASK)'] as const;
  subcommand(
    sessions,
    'request',
    'push the branch of a session and open a draft pull or merge request, after your approval',
    'dewpoint sessions request last',
  )
    .argument('<session>', 'a session id, the beginning of one, or last')
    .option(...branch)
    .option(...remote)
    .option('--base <name>', 'the branch that the work is for (default: the one you are on)')
    .option('--title <text>', 'the title (default: the first line of the commit)')
    .option('--yes', 'push and open it without asking')
    .option('--json', 'print JSON')
    .action((session: string, args: RequestArguments) => handlers.requestSession('request', session, args));
  subcommand(
    sessions,
    'review',
    "show what reviewers say about a session's request, and let the agent work on it",
    'dewpoint sessions review last',
  )
    .argument('<session>', 'a session id, the beginning of one, or last')
    .option(...branch)
    .option(...remote)
    .option('--yes', 'let the agent work on the comments without asking')
    .option('--json', 'print JSON')
    .action((session: string, args: RequestArguments) => handlers.requestSession('review', session, args));
}
