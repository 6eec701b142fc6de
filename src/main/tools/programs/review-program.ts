import { canonicalHost } from '@shared/safety/host-name.ts';
import type { ProgramLanguage } from '@shared/tools/program-tool.ts';
import type { Syntax, SyntaxNode } from '../../recipes/code/code-syntax.ts';
import type { ProgramImport } from './program-frames.ts';
import type { Announcement } from './program-announcement.ts';

type Leaving = Pick<Announcement['entries'][number], 'most' | 'hosts'> & { readonly tool: { readonly name: string } };

export interface ReviewedProgram {
  readonly language: ProgramLanguage;
  readonly text: string;
  /** The announced calls that leave the sandbox. */
  readonly leaving: readonly Leaving[];
}

const mostFindings = 10;
/** The program is blocked while these nodes are checked. */
const mostNodes = 30_000;

/**
 * What the user should know before approving a program whose calls leave the sandbox. The rules parse the text and
 * never run it. A finding is no proof, and no finding is no approval. Names from the program are shown only if they
 * cannot pass for words of Dewpoint.
 */
export function reviewProgram(program: ReviewedProgram, syntax: Syntax): readonly string[] {
  const found = new Map<string, string>();
  const say: Say = (rule, line, text) => {
    if (!found.has(rule)) found.set(rule, line === null ? text : `Line ${line}: ${text}`);
  };
  for (const { tool, most } of program.leaving)
    if (/(?:^|_)(?:delete|remove|drop|purge|destroy|pay|charge|buy|order|transfer|refund)(?:_|$)/iu.test(tool.name))
      say(`name ${tool.name}`, null, `${tool.name}, at most ${most} times: its name speaks of deleting or of money.`);
  syntax.withTree(program.language, program.text, (root) => {
    let seen = 0;
    for (const { node, isEndless } of nodesIn(root)) {
      seen += 1;
      if (seen > mostNodes) return say('size', null, 'It is too large: only its beginning was reviewed.');
      lookAt(node, isEndless, program, say);
    }
  });
  return [...found.values()].slice(0, mostFindings);
}

const linesOfImports = 8;

/**
 * What a program imports from where commands can write, every file of it. An earlier command may have put it there, and it
 * runs with the same yes.
 */
export function importFindings(imports: readonly ProgramImport[]): readonly string[] {
  const first = new Map([...imports].reverse().map(({ path, line }) => [path, line]));
  const all = [...first].reverse();
  // Another form could pass for words of Dewpoint.
  const shownPath = (path: string): string => (/^[\w@+./-]{1,200}$/u.test(path) ? path : 'a file with an odd name');
  const lines = all
    .slice(0, linesOfImports)
    .map(
      ([path, line]) =>
        `Line ${line}: it imports ${shownPath(path)} of the project. What that is and imports itself runs with this yes, too.`,
    );
  const rest = all.slice(linesOfImports).map(([path]) => shownPath(path));
  return rest.length === 0 ? lines : [...lines, `It also imports ${rest.join(', ')} of the project, likewise.`];
}

type Say = (rule: string, line: number | null, text: string) => void;

interface Place {
  readonly node: SyntaxNode;
  /** The node is in a loop without a visible end. */
  readonly isEndless: boolean;
}

function* nodesIn(root: SyntaxNode): Generator<Place> {
  const left: Place[] = [{ node: root, isEndless: false }];
  for (let place = left.pop(); place !== undefined; place = left.pop()) {
    yield place;
    const isEndless = place.isEndless || isEndlessLoop(place.node);
    for (const node of place.node.children.toReversed()) if (node !== null) left.push({ node, isEndless });
  }
}

/** Long texts cannot be among the words that the rules look for, and reading each nested one would be slow. */
function shortText(node: SyntaxNode | null): string {
  if (node === null) return '';
  return node.endIndex - node.startIndex > 200 ? '…' : node.text;
}

function isEndlessLoop(node: SyntaxNode): boolean {
  const condition = shortText(node.childForFieldName('condition')).replaceAll(/[();\s]/gu, '');
  if (node.type === 'for_statement') return node.childForFieldName('initializer') !== null && condition === '';
  return ['while_statement', 'do_statement'].includes(node.type) && ['True', 'true', '1'].includes(condition);
}

function lookAt(node: SyntaxNode, isEndless: boolean, { leaving }: ReviewedProgram, say: Say): void {
  const line = node.startPosition.row + 1;
  const { type } = node;
  if (type === 'new_expression' && shortText(node.childForFieldName('constructor')) === 'Function')
    say('code', line, 'it runs text as code, which these rules cannot read.');
  if (type === 'call' || type === 'call_expression') lookAtCall(node, isEndless, leaving, say);
  if (type === 'identifier' || type === 'property_identifier') lookAtWord(shortText(node), line, say);
  if (type !== 'string_content' && type !== 'string_fragment') return;
  const text = node.text.slice(0, 1_000);
  lookAtWord(text, line, say);
  if (/(?:^|\/)\.(?:env|ssh|aws|netrc|npmrc|pypirc)\b|id_(?:rsa|ed25519)|\.(?:pem|key)$/u.test(text))
    say(
      'secret file',
      line,
      'it names a file of a kind that often holds secrets, and has calls that leave the sandbox.',
    );
  const [, named] = /^https?:\/\/([^/?#\s]{1,255})/u.exec(text) ?? [];
  const host = named === undefined ? null : canonicalHost(named.replace(/^.*@|:\d+$/gu, ''));
  if (host !== null && !leaving.some(({ hosts }) => hosts.includes(host)))
    say(`host ${host}`, line, `${host} is named and was not announced. Calls that reach it are refused.`);
}

const loaders =
  /^(?:createRequire|getBuiltinModule|dlopen|runpy|spec_from_file_location|SourceFileLoader|exec_module|load_module|meta_path|path_hooks|registerHooks)$/u;
const starters =
  /^(?:(?:node:)?(?:child_process|worker_threads|vm)|subprocess|multiprocessing|Popen|posix_spawn|Worker|spawn|spawnSync|fork|execFile|execFileSync|execSync)$/u;
const encoders = /^(?:base64|b64encode|b85encode|zlib|gzip|gzipSync|deflateSync|btoa|hexlify|createCipheriv)$/u;

function lookAtWord(word: string, line: number, say: Say): void {
  if (encoders.test(word))
    say('encoder', line, 'it encodes or packs data. What leaves may then not be readable in the log.');
  if (loaders.test(word))
    say('loader', line, 'it can load what is named only when it runs, which these rules cannot read.');
  if (starters.test(word)) say('program', line, 'it can start other programs, which these rules cannot read.');
  if (word === 'environ' || word === 'getenv' || word === 'env')
    say('environment', line, 'it reads variables of the sandbox, and has calls that leave the sandbox.');
}

function lookAtCall(node: SyntaxNode, isEndless: boolean, leaving: readonly Leaving[], say: Say): void {
  const line = node.startPosition.row + 1;
  const called = shortText(node.childForFieldName('function'));
  if (/^os\.(?:system|popen|exec\w+|spawn\w+)$/u.test(called))
    say('program', line, 'it can start other programs, which these rules cannot read.');
  if (/^(?:(?:builtins|globalThis)\.)?(?:eval|exec|compile|Function)$/u.test(called))
    say('code', line, 'it runs text as code, which these rules cannot read.');
  const first = node.childForFieldName('arguments')?.namedChildren[0] ?? null;
  const isText = (first?.type === 'string' || first?.type === 'template_string') && !first.text.includes('{');
  if (
    /^(?:import|require)$/u.test(called)
      ? !isText
      : /(?:^|\.)(?:__import__|import_module|run_path|run_module)$/u.test(called)
  )
    say(
      'import',
      line,
      'which module is imported here is known only when it runs. A file of the project that is not named here is refused.',
    );
  if (!called.startsWith('tools.')) return;
  if (called === 'tools.call' && !isText)
    say('computed', line, 'which tool is called here is known only when it runs.');
  const name = called === 'tools.call' && isText ? first.text.slice(1, -1) : called.slice('tools.'.length);
  const entry = leaving.find(({ tool }) => tool.name === name);
  if (isEndless && entry !== undefined)
    say(
      `loop ${name}`,
      line,
      `${name} is called in a loop that does not say when it ends. It gets at most ${entry.most} calls.`,
    );
}
