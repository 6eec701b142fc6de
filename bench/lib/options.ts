import { UsageError } from './usage-error.ts';

export interface BenchOptions {
  /** `tasks`, `all` or the name of a file `*.bench.ts`. */
  readonly name: string;
  /** Arguments that the named benchmark parses itself. */
  readonly args: readonly string[];
  /** The path for the figures as JSON. Null: not written. */
  readonly json: string | null;
  /** Missed targets are shown, but the exit code stays 0. */
  readonly noFail: boolean;
}

/** Benchmarks that take arguments of their own. */
const withArguments: ReadonlySet<string> = new Set([
  'agents',
  'courses',
  'start',
  'tasks',
  'pair',
  'router',
  'routing',
  'sandbox',
  'grammar',
  'hostile',
  'secrets',
  'endpoint',
  'card',
  'engine',
  'engines',
  'tools',
  'project',
  'skills',
]);

/** Parses the options that all benchmarks share, in any position. Throws a `UsageError`. */
export function parseBenchOptions(argv: readonly string[], names: readonly string[]): BenchOptions {
  const args: string[] = [];
  let json: string | null = null;
  let noFail = false;
  const rest = [...argv];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === '--no-fail') noFail = true;
    else if (arg === '--json') json = rest.shift() ?? missing();
    else if (arg.startsWith('--json=')) json = arg.slice('--json='.length);
    else args.push(arg);
  }
  const [name, ...others] = args;
  if (name === undefined || name.startsWith('-')) throw new UsageError(`Name a benchmark: ${names.join(', ')}.`);
  if (!names.includes(name)) throw new UsageError(`There is no benchmark "${name}". There are: ${names.join(', ')}.`);
  if (!withArguments.has(name) && others[0] !== undefined) throw new UsageError(`"${name}" takes no ${others[0]}.`);
  return { name, args: others, json, noFail };
}

function missing(): never {
  throw new UsageError('--json takes the name of a file.');
}
