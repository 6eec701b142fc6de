/** A server as a command line starts it, in the form that configuration files use. */
export interface LineServer {
  /** The name that the line gives; null: it gives none. */
  readonly name: string | null;
  readonly entry: Readonly<Record<string, unknown>>;
}

/** Programs that are known to start tool servers. Other words may be any text that somebody pasted. */
const starters = new Set(
  'npx npm pnpm yarn bun bunx uv uvx pipx python python3 py node deno docker podman nerdctl java dotnet go cmd ruby php'.split(
    ' ',
  ),
);

/** Programs whose `mcp add` a README names for its server. */
const clients = new Set('claude codex gemini qwen amp copilot code code-insiders cursor windsurf droid'.split(' '));

/** Options of `mcp add` that take a value, by what the value is. */
const valued: Readonly<Record<string, 'env' | 'header' | 'transport' | 'url' | 'other'>> = {
  '-e': 'env',
  '--env': 'env',
  '-H': 'header',
  '--header': 'header',
  '-t': 'transport',
  '--transport': 'transport',
  '--url': 'url',
  '-s': 'other',
  '--scope': 'other',
  '--timeout': 'other',
  '--description': 'other',
  '--bearer-token-env-var': 'other',
};

/**
 * Reads a command line from a README: `npx -y @example/server ~/x`, `KEY=… uvx server`, `claude mcp add NAME -- CMD` or
 * `code --add-mcp '{…}'`. Null: it is none.
 */
export function serverInLine(text: string): LineServer | null {
  const words = wordsOf(plainLine(text));
  if (words === null) return null;
  const { env, rest } = leadingEnv(words);
  const [first = '', ...more] = rest;
  if (clients.has(first)) return clientLine(more, env);
  if (!isStarter(first) || more.length === 0) return null;
  return { name: null, entry: { command: first, args: more, env } };
}

function isStarter(word: string): boolean {
  const own = word.split(/[\\/]/u).at(-1) ?? '';
  const isPath = /^(?:[~.]{0,2}[\\/]|[A-Za-z]:[\\/])/u.test(word);
  return (
    starters.has(own.replace(/\.(?:exe|cmd)$/iu, '')) || (own !== '' && isPath) || /mcp[\w.-]|[\w.-]mcp/iu.test(own)
  );
}

/** Without the marks around it: a code fence, a prompt sign, quotes of a word processor. */
function plainLine(text: string): string {
  const lines = text.split('\n').filter((line) => !line.trim().startsWith('```'));
  return straightQuotes(lines.join('\n').trim())
    .replaceAll(/^(?:[$>❯#] +|`)/gu, '')
    .replaceAll(/`$/gu, '');
}

/** Between straight quotes, and in a word such as `Ada’s`, a curly one is a sign like any other. */
function straightQuotes(line: string): string {
  if (/["']/u.test(line)) return line;
  const doubled = line.replaceAll(/[“”]/gu, '"');
  return doubled === line && line.includes('‘') ? line.replaceAll(/[‘’]/gu, "'") : doubled;
}

/** Splits as a shell does, without running anything. Null: a quote is not closed, or several commands stand there. */
export function wordsOf(line: string): readonly string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  let quote: string | null = null;
  for (let at = 0; at < line.length; at += 1) {
    const sign = line.charAt(at);
    const next = line.charAt(at + 1);
    if (quote !== null) {
      if (sign === quote) quote = null;
      else if (quote === '"' && sign === '\\' && (next === '"' || next === '\\')) {
        word = `${word ?? ''}${next}`;
        at += 1;
      } else word = `${word ?? ''}${sign}`;
    } else if (sign === '"' || sign === "'") {
      quote = sign;
      word ??= '';
    } else if (sign === '\\' && next === '\n') at += 1;
    // In a path of Windows, a backslash is itself.
    else if (sign === '\\' && /[\s"'$\\&|;()]/u.test(next)) {
      word = `${word ?? ''}${next}`;
      at += 1;
    } else if (sign === '\n' && (word !== null || words.length > 0)) {
      if (line.slice(at).trim() !== '') return null;
    } else if (/\s/u.test(sign)) {
      if (word !== null) words.push(word);
      word = null;
    } else if ('|;&'.includes(sign)) return null;
    else word = `${word ?? ''}${sign}`;
  }
  if (quote !== null) return null;
  return word === null ? words : [...words, word];
}

type Values = Readonly<Record<string, string>>;

function leadingEnv(words: readonly string[]): { readonly env: Values; readonly rest: readonly string[] } {
  const env: Record<string, string> = {};
  let at = words[0] === 'env' ? 1 : 0;
  for (; at < words.length; at += 1) {
    const found = assigned(words[at] ?? '');
    if (found === null) break;
    env[found[0]] = found[1];
  }
  return { env, rest: words.slice(at) };
}

function assigned(word: string): readonly [string, string] | null {
  const [, name, value] = /^([A-Za-z_]\w*)=([\s\S]*)$/u.exec(word) ?? [];
  return name === undefined || value === undefined ? null : [name, value];
}

/** What follows `claude` or `code`. */
function clientLine(words: readonly string[], env: Values): LineServer | null {
  const adds = words.indexOf('--add-mcp');
  if (adds >= 0) return ofJson(words[adds + 1] ?? '', null);
  const [mcp, add, ...rest] = words;
  if (mcp !== 'mcp') return null;
  if (add === 'add-json') {
    const [name, json] = plainWords(rest).words;
    return name === undefined || json === undefined ? null : ofJson(json, name);
  }
  if (add !== 'add') return null;
  return added(plainWords(rest), env);
}

interface Given {
  readonly words: readonly string[];
  readonly env: Values;
  readonly headers: Values;
  readonly url: string | null;
}

/** The words without options of the client. What follows `--`, or the name and the program, is the server's own. */
function plainWords(all: readonly string[]): Given {
  const words: string[] = [];
  const env: Record<string, string> = {};
  const headers: Record<string, string> = {};
  let url: string | null = null;
  let at = 0;
  for (; at < all.length && words.length < 2; at += 1) {
    const word = all[at] ?? '';
    if (word === '--') break;
    const [option = word, inline] = word.startsWith('--') && word.includes('=') ? splitAt(word, '=') : [word];
    const kind = valued[option];
    if (kind === undefined) {
      if (!word.startsWith('-')) words.push(word);
      continue;
    }
    if (inline === undefined) at += 1;
    const value = inline ?? all[at] ?? '';
    const pair = kind === 'env' ? assigned(value) : null;
    if (pair !== null) env[pair[0]] = pair[1];
    if (kind === 'header') {
      const [name = '', content = ''] = splitAt(value, ':');
      headers[name.trim()] = content.trim();
    }
    if (kind === 'url') url = value;
  }
  const own = all[at] === '--' ? all.slice(at + 1) : all.slice(at);
  // After an address, options of the client may still follow: `claude mcp add docs URL --header "A: b"`.
  if (isAddress(words[1]) && own.length > 0 && all[at] !== '--') {
    const more = plainWords(['-', ...own]);
    return { words, env: { ...env, ...more.env }, headers: { ...headers, ...more.headers }, url };
  }
  return { words: [...words, ...own], env, headers, url };
}

function splitAt(text: string, mark: string): readonly [string, string] | readonly [string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function isAddress(word: string | undefined): boolean {
  return word !== undefined && /^https?:\/\//iu.test(word);
}

function added({ words, env: given, headers, url }: Given, env: Values): LineServer | null {
  const [name, first, ...args] = words;
  const address = url ?? (isAddress(first) ? first : undefined);
  if (name === undefined) return null;
  if (address !== undefined) return { name, entry: { url: address, headers } };
  return first === undefined ? null : { name, entry: { command: first, args, env: { ...env, ...given } } };
}

function ofJson(text: string, name: string | null): LineServer | null {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return null;
    const entry: Readonly<Record<string, unknown>> = { ...value };
    return { name: name ?? (typeof entry.name === 'string' ? entry.name : null), entry };
  } catch {
    // It is no JSON, so the line names no server.
    return null;
  }
}
