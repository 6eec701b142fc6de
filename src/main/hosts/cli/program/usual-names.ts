/** Names that similar programs use, and what they are called here. */
const usualOptions = new Map<string, readonly string[]>([
  ['--model', ['--local', '--cloud']],
  ['--models', ['--model-order', '--local']],
  ['--provider', ['--local', '--cloud']],
  ['--cwd', ['--project']],
  ['--dir', ['--project']],
  ['--directory', ['--project']],
  ['--budget', ['--max-usd']],
  ['--max-cost', ['--max-usd']],
  ['--max-turns', ['--max-steps']],
  ['--timeout', ['--max-minutes']],
  ['--continue', ['--session']],
  ['--resume', ['--session']],
  ['--yes', ['--approve']],
  ['--yolo', ['--approve']],
  ['--effort', ['--thinking']],
  ['--test', ['--check']],
]);

/** With the words that follow, where one command does what was meant. */
const usualCommands = new Map<string, readonly string[]>([
  ['limit', ['budget']],
  ['limits', ['budget']],
  ['config', ['settings']],
  ['configure', ['settings']],
  ['login', ['keys set']],
  ['auth', ['keys set']],
  ['history', ['sessions list']],
  ['undo', ['changes last undo']],
  ['diff', ['changes last']],
  ['ask', ['run', 'chat']],
  ['exec', ['run']],
  ['resume', ['chat --session last']],
  ['continue', ['chat --session last']],
  ['mcp', ['tools']],
  ['agents', ['assistants']],
  ['usage', ['costs']],
  ['cost', ['costs']],
  ['web', ['serve']],
  ['export', ['sessions export']],
  ['import', ['sessions import', 'models import']],
  ['download', ['models pull']],
  ['pull', ['models pull']],
  ['remember', ['memory add']],
  ['knowledge', ['projects knowledge']],
  ['documents', ['projects search']],
  ['commit', ['sessions commit last']],
  ['search', ['sessions search', 'projects search']],
]);

interface Known {
  readonly options: readonly string[];
  readonly commands: readonly string[];
}

/**
 * Commander's message about an unknown name, with the name that Dewpoint has for it. By spelling alone, commander would
 * suggest `--mode` for `--model`. Other messages stay as they are.
 */
export function withUsualNames(message: string, known: Known): string {
  return named(message, 'option', known) ?? named(message, 'command', known) ?? message;
}

function named(message: string, kind: 'option' | 'command', { options, commands }: Known): string | null {
  const start = `error: unknown ${kind} '`;
  if (!message.startsWith(start)) return null;
  // Behind the name, commander may suggest one on a second line.
  const suggested = message.indexOf("'\n", start.length);
  const end = suggested === -1 ? message.length - 1 : suggested;
  const name = message.slice(start.length, end);
  const first = message.slice(0, end + 1);
  // A task without its command, such as `dewpoint "Fix the test"`.
  if (kind === 'command' && name.includes(' ') && commands.includes('run'))
    return `${first}\n(Did you mean: dewpoint run ${JSON.stringify(name)})`;
  const [asked = ''] = name.split('=');
  const here =
    kind === 'option'
      ? usualOptions.get(asked)?.filter((one) => options.includes(one))
      : usualCommands.get(name)?.filter((one) => commands.includes(one.split(' ', 1)[0] ?? ''));
  return here === undefined || here.length === 0 ? null : `${first}\n(Did you mean ${here.join(' or ')}?)`;
}
