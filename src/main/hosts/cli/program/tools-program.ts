import type { Command } from 'commander';
import { Option } from 'commander';
import { ownToolExamples, ownToolLanguages } from '@shared/tools/own-tool-choices.ts';
import { collect, subcommand } from './subcommand.ts';

export type ToolsAction =
  | 'list'
  | 'show'
  | 'test'
  | 'new'
  | 'add'
  | 'edit'
  | 'import'
  | 'secret'
  | 'sign-in'
  | 'sign-out'
  | 'approve'
  | 'connect'
  | 'tasks'
  | 'composio'
  | 'reads'
  | 'ask-again'
  | 'on'
  | 'off'
  | 'remove';

export interface ToolsArguments {
  readonly onHost?: boolean;
  readonly inContainer?: boolean;
  readonly staysHere?: boolean;
  readonly env?: readonly string[];
  readonly header?: readonly string[];
  readonly clientId?: string;
  /** Hosts that a program may reach from its container. */
  readonly reach?: readonly string[];
  readonly project?: string;
  /** Only for Composio: whose accounts, which toolkits, and what is switched on. */
  readonly user?: string;
  readonly toolkit?: readonly string[];
  readonly direct?: boolean;
  readonly workbench?: boolean;
  readonly mcp?: boolean;
  readonly address?: string;
  /** Only for a new tool. */
  readonly language?: (typeof ownToolLanguages)[number];
  readonly example?: (typeof ownToolExamples)[number];
  /** The task to stop. */
  readonly stop?: string;
  /** Sign in with a code. */
  readonly code?: boolean;
  readonly undo?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

type Run = (action: ToolsAction, words: readonly string[], args: ToolsArguments) => Promise<void>;

/** `dewpoint tools` and its subcommands. */
export function addTools(program: Command, run: Run): void {
  const tools = subcommand(
    program,
    'tools',
    'manage tools that agents may call: of servers (MCP), your own, and for the web',
    'dewpoint tools list',
  );
  subcommand(tools, 'list', 'list servers and tools, and what each may do', 'dewpoint tools list')
    .option('--project <project>', 'as they are on in this project')
    .option('--json', 'print JSON')
    .action((args: ToolsArguments) => run('list', [], args));
  subcommand(tools, 'show', 'show a server and its tools, or a tool', 'dewpoint tools show docs')
    .argument('<name>', named)
    .option(...ofProject)
    .option('--json', 'print JSON')
    .action((name: string, args: ToolsArguments) => run('show', [name], args));
  subcommand(
    tools,
    'test',
    'reach an approved server and list its tools, or try a tool',
    'dewpoint tools test web_read https://example.com',
  )
    .argument('<name>', named)
    .argument('[words...]', 'what to read or search for; of your own tool, its arguments as JSON')
    .option(...ofProject)
    .option('--json', 'print JSON')
    .action((name: string, words: readonly string[], args: ToolsArguments) => run('test', [name, ...words], args));
  addNew(tools, run);
  addAdd(tools, run);
  addComposio(tools, run);
  subcommand(
    tools,
    'secret',
    'save a key for a server or a tool; you type it, or it is read from stdin',
    'dewpoint tools secret docs Authorization',
  )
    .argument('<name>', 'the name of a server or of your own tool')
    .argument('<variable>', 'the variable or header that holds it; of web_search, the service')
    .option(...ofProject)
    .action((name: string, variable: string, args: ToolsArguments) => run('secret', [name, variable], args));
  subcommand(tools, 'approve', 'approve a server, and tools that are new or changed', 'dewpoint tools approve docs')
    .argument('<name>', 'the name of a server, or of a tool of a project')
    .argument('[tools...]', 'only these of its tools')
    .option(...ofProject)
    .option('--yes', 'approve what is printed without asking')
    .action((name: string, chosen: readonly string[], args: ToolsArguments) => run('approve', [name, ...chosen], args));
  addSwitches(tools, run);
  subcommand(tools, 'tasks', 'show what a server works on, and end it', 'dewpoint tools tasks docs')
    .argument('<server>', 'the name of an approved server')
    .option('--stop <task>', 'ask the server to stop this task')
    .option('--json', 'print JSON')
    .action((name: string, args: ToolsArguments) => run('tasks', [name], args));
  subcommand(tools, 'remove', 'remove a server, or the keys of your own tool', 'dewpoint tools remove docs')
    .argument('<name>', 'the name of a server or of your own tool')
    .option(...ofProject)
    .action((name: string, args: ToolsArguments) => run('remove', [name], args));
}

const named = 'the name of a server, of your own tool, or of one for the web';
const ofProject = ['--project <project>', 'a tool of this project'] as const;

function addNew(tools: Command, run: Run): void {
  const languages = new Option('--language <language>', 'what it is written in').choices([...ownToolLanguages]);
  const examples = new Option('--example <name>', 'begin with this example').choices([...ownToolExamples]);
  subcommand(tools, 'new', 'write a tool of your own that works at once', 'dewpoint tools new count_words')
    .argument('<name>', 'small letters, digits, underscores')
    .addOption(languages.default('python'))
    .addOption(examples)
    .option('--project <project>', 'in this project, not for all')
    .action((name: string, args: ToolsArguments) => run('new', [name], args));
}

/** Subcommands that switch a server or one of its tools. */
function addSwitches(tools: Command, run: Run): void {
  subcommand(
    tools,
    'reads',
    'say that a tool only reads, so that equal calls in a turn are sent once',
    'dewpoint tools reads docs search',
  )
    .argument('<server>', 'the name of a server')
    .argument('<tool>', 'one of its tools')
    .option('--undo', 'take that back')
    .action((name: string, tool: string, args: ToolsArguments) => run('reads', [name, tool], args));
  subcommand(
    tools,
    'ask-again',
    'take back that all calls of a tool are allowed',
    'dewpoint tools ask-again docs search',
  )
    .argument('<server>', 'the name of a server')
    .argument('<tool>', 'one of its tools')
    .action((name: string, tool: string, args: ToolsArguments) => run('ask-again', [name, tool], args));
  for (const action of ['on', 'off'] as const) {
    subcommand(
      tools,
      action,
      `switch a server, one of its tools, or another tool ${action}`,
      `dewpoint tools ${action} docs`,
    )
      .argument('<name>', named)
      .argument('[tool]', 'one of its tools')
      .option('--project <project>', 'in this project only')
      .action((name: string, tool: string | undefined, args: ToolsArguments) =>
        run(action, tool === undefined ? [name] : [name, tool], args),
      );
  }
  subcommand(tools, 'sign-in', 'sign in to a server by your browser', 'dewpoint tools sign-in docs')
    .argument('<server>', 'the name of a server that is an address')
    .option('--code', 'by a code that you type in a browser on any device')
    .action((name: string, options: { readonly code?: true }) => run('sign-in', [name], options));
  subcommand(tools, 'sign-out', 'end a sign-in, here and at its service', 'dewpoint tools sign-out docs')
    .argument('<server>', 'the name of a server')
    .action((name: string) => run('sign-out', [name], {}));
}

function addAdd(tools: Command, run: Run): void {
  const onHost = [
    '--on-host',
    'run the program on this machine, not in a container: it can do all that you can do',
  ] as const;
  subcommand(
    tools,
    'add',
    'add a server: as its README says, in quotes, or a name and an address or a program after --',
    "dewpoint tools add 'npx -y @modelcontextprotocol/server-memory'",
  )
    .argument('[name]', 'a command, link or JSON in quotes, a well-known server (none: lists them), or a short name')
    .argument('[address...]', 'an address, -- and a program with its arguments, or the folder of a well-known server')
    .option('--header <name>', 'a header whose value is kept in the key store; repeatable', collect)
    .option('--client-id <id>', 'sign in as this client, which you registered at the service')
    .option('--env <name>', 'a variable that the program gets; repeatable', collect)
    .option('--reach <host>', 'a host that the program may reach from its container; repeatable', collect)
    .option(...onHost)
    .option('--stays-here', 'the server keeps what it gets on this machine, so fences do not apply')
    .option('--yes', 'approve it and all its tools without asking')
    .action((name: string | undefined, words: readonly string[], args: ToolsArguments) =>
      run('add', name === undefined ? [] : [name, ...words], args),
    );
  subcommand(
    tools,
    'edit',
    'change where a server runs, what it reaches and gets, or its address',
    'dewpoint tools edit files --on-host',
  )
    .argument('<name>', 'the name of a server')
    .argument('[address...]', 'another address, or -- and another program')
    .option('--header <name>', 'the headers whose values are kept in the key store; repeatable', collect)
    .option('--env <name>', 'one more variable that the program gets; repeatable', collect)
    .option('--reach <host>', 'one more host that it may reach from its container; repeatable', collect)
    .option(...onHost)
    .option('--in-container', 'run the program in a container')
    .option('--yes', 'approve it and all its tools without asking')
    .action((name: string, words: readonly string[], args: ToolsArguments) => run('edit', [name, ...words], args));
  subcommand(tools, 'import', 'add the servers in a file of another program', 'dewpoint tools import .mcp.json')
    .argument('<file>', 'a file of Claude Desktop, Cursor, VS Code or Codex, or a .mcp.json')
    .option(...onHost)
    .option('--yes', 'add also servers with a key in their arguments, without asking')
    .action((path: string, args: ToolsArguments) => run('import', [path], args));
}

function addComposio(tools: Command, run: Run): void {
  subcommand(
    tools,
    'composio',
    'add Composio: tools of services through accounts that you connect',
    'dewpoint tools composio --toolkit github --toolkit slack',
  )
    .argument('[name]', 'a short name: small letters, digits, hyphens', 'composio')
    .option('--user <id>', 'whose accounts are used; Composio is told this name (default: "default")')
    .option('--toolkit <name>', 'only this toolkit; repeatable', collect)
    .option('--direct', 'list the tools of the toolkits one by one')
    .option('--mcp', "use the session's MCP server in place of the API")
    .option('--workbench', "let code of a model run on Composio's machines")
    .option('--address <url>', 'where the API is')
    .action((name: string, args: ToolsArguments) => run('composio', [name], args));
  subcommand(
    tools,
    'connect',
    'connect an account at a service, or list what is connected',
    'dewpoint tools connect composio github',
  )
    .argument('<server>', 'the name of a server of the kind Composio')
    .argument('[toolkit]', 'the service')
    .option('--json', 'print JSON')
    .action((name: string, toolkit: string | undefined, args: ToolsArguments) =>
      run('connect', toolkit === undefined ? [name] : [name, toolkit], args),
    );
}
