import type { Command } from 'commander';
import { collect, subcommand } from './subcommand.ts';

export type ToolsAction =
  | 'list'
  | 'show'
  | 'test'
  | 'add'
  | 'import'
  | 'secret'
  | 'approve'
  | 'reads'
  | 'on'
  | 'off'
  | 'remove';

export interface ToolsArguments {
  readonly onHost?: boolean;
  readonly staysHere?: boolean;
  readonly env?: readonly string[];
  readonly header?: readonly string[];
  /** Hosts that a program may reach from its container. */
  readonly reach?: readonly string[];
  readonly project?: string;
  readonly undo?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

type Run = (action: ToolsAction, words: readonly string[], args: ToolsArguments) => Promise<void>;

/** `dewpoint tools`, with all its words. */
export function addTools(program: Command, run: Run): void {
  const tools = subcommand(
    program,
    'tools',
    'manage tools that agents may call: of servers (MCP), and for the web',
    'dewpoint tools list',
  );
  subcommand(tools, 'list', 'list servers and tools, and what each may do', 'dewpoint tools list')
    .option('--project <dir>', 'as they are on in this project')
    .option('--json', 'print JSON')
    .action((args: ToolsArguments) => run('list', [], args));
  subcommand(tools, 'show', 'show a server and its tools', 'dewpoint tools show docs')
    .argument('<server>', 'the name of a server, or of a tool for the web')
    .option('--json', 'print JSON')
    .action((name: string, args: ToolsArguments) => run('show', [name], args));
  subcommand(
    tools,
    'test',
    'reach an approved server and list its tools, or try a tool for the web',
    'dewpoint tools test web_read https://example.com',
  )
    .argument('<server>', 'the name of a server, or of a tool for the web')
    .argument('[words...]', 'what to read or search for')
    .option('--json', 'print JSON')
    .action((name: string, words: readonly string[], args: ToolsArguments) => run('test', [name, ...words], args));
  addAdd(tools, run);
  subcommand(
    tools,
    'secret',
    'save a key for a server; you type it, or it is read from stdin',
    'dewpoint tools secret docs Authorization',
  )
    .argument('<server>', 'the name of a server')
    .argument('<variable>', 'the variable or header that holds it; of web_search, the service')
    .action((name: string, variable: string) => run('secret', [name, variable], {}));
  subcommand(tools, 'approve', 'approve a server, and tools that are new or changed', 'dewpoint tools approve docs')
    .argument('<server>', 'the name of a server')
    .argument('[tools...]', 'only these of its tools')
    .option('--yes', 'approve what is printed without asking')
    .action((name: string, chosen: readonly string[], args: ToolsArguments) => run('approve', [name, ...chosen], args));
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
  for (const action of ['on', 'off'] as const) {
    subcommand(
      tools,
      action,
      `switch a server, one of its tools, or a tool for the web ${action}`,
      `dewpoint tools ${action} docs`,
    )
      .argument('<server>', 'the name of a server, or of a tool for the web')
      .argument('[tool]', 'one of its tools')
      .option('--project <dir>', 'in this project only')
      .action((name: string, tool: string | undefined, args: ToolsArguments) =>
        run(action, tool === undefined ? [name] : [name, tool], args),
      );
  }
  subcommand(tools, 'remove', 'stop and remove a server, with its keys', 'dewpoint tools remove docs')
    .argument('<server>', 'the name of a server')
    .action((name: string) => run('remove', [name], {}));
}

function addAdd(tools: Command, run: Run): void {
  const onHost = [
    '--on-host',
    'run the program on this machine, not in a container: it can do all that you can do',
  ] as const;
  subcommand(
    tools,
    'add',
    'add a server: an address, or a program after --',
    'dewpoint tools add docs https://mcp.example.com',
  )
    .argument('<name>', 'a short name: small letters, digits, hyphens')
    .argument('<words...>', 'an address, or a program with its arguments')
    .option('--header <name>', 'a header whose value is kept in the key store; repeatable', collect)
    .option('--env <name>', 'a variable that the program gets; repeatable', collect)
    .option('--reach <host>', 'a host that the program may reach from its container; repeatable', collect)
    .option(...onHost)
    .option('--stays-here', 'the server keeps what it gets on this machine, so fences do not apply')
    .option('--yes', 'approve it and all its tools without asking')
    .action((name: string, words: readonly string[], args: ToolsArguments) => run('add', [name, ...words], args));
  subcommand(tools, 'import', 'add the servers in a file of another program', 'dewpoint tools import .mcp.json')
    .argument('<file>', 'a file of Claude Desktop, Cursor, VS Code or Codex, or a .mcp.json')
    .option(...onHost)
    .action((path: string, args: ToolsArguments) => run('import', [path], args));
}
