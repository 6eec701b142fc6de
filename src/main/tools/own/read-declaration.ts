import { parse, TomlError } from 'smol-toml';
import { issuesText } from '../../lib/issue-text.ts';
import { programLanguageOf } from '@shared/tools/program-tool.ts';
import type { OwnToolDeclaration } from '@shared/tools/own-tool.ts';
import { ownToolDeclarationSchema, ownToolNameSchema } from '@shared/tools/own-tool.ts';
import type { CodeLanguage, Syntax } from '../../recipes/code/code-syntax.ts';
import type { RawDeclaration, ToolProblem } from './read-exported.ts';
import { readExported } from './read-exported.ts';

/**
 * How the file is run. `program`: it reads its arguments as JSON from its input and prints its result. `exported`: the
 * function beside the declaration is called.
 */
export type ToolForm = 'program' | 'exported';

export interface ReadTool {
  readonly name: string;
  readonly declaration: OwnToolDeclaration;
  readonly form: ToolForm;
  /** The command that runs the file, without the file itself. */
  readonly interpreter: readonly string[];
}

export type SyntaxLoader = () => Promise<Syntax>;

const opening = /^\s*(#|\/\/|--|;)\s*\/\/\/\s*dewpoint-tool\s*$/;
/** A header must begin within this many lines. The rest of a foreign file is not searched. */
const mostLinesBefore = 60;
const mostHeaderLines = 400;

/**
 * Reads the declaration of a tool file without running it, here or in the sandbox. So a tool declares nothing that a
 * person could not read in its bytes.
 */
export async function readDeclaration(
  file: string,
  text: string,
  loadSyntax: SyntaxLoader,
): Promise<ReadTool | ToolProblem> {
  const interpreter = interpreterOf(file, text);
  if (interpreter === null)
    return { problem: 'Line 1: nothing says what runs it. Begin with a line such as #!/usr/bin/env bash.' };
  const header = readHeader(text);
  const language = exportingLanguage(file);
  const raw = header ?? (language === null ? null : await exportedIn(text, language, loadSyntax));
  if (raw === null) return { problem: missingText(language) };
  if ('problem' in raw) return raw;
  const parsed = ownToolDeclarationSchema.safeParse(raw.value);
  if (!parsed.success) return { problem: `Line ${raw.line}: ${issuesText(parsed.error.issues, 'the declaration')}.` };
  const name = ownToolNameSchema.safeParse(parsed.data.name ?? stemOf(file).replaceAll('-', '_'));
  if (!name.success)
    return {
      problem: `Its file name is no name of a tool: ${issuesText(name.error.issues, 'name')}. Or give it a name in its declaration.`,
    };
  const wrong = programProblem(file, parsed.data, header !== null);
  if (wrong !== null) return { problem: `Line ${raw.line}: ${wrong}` };
  const form = header === null ? 'exported' : 'program';
  return { name: name.data, declaration: parsed.data, form, interpreter };
}

/** A program that calls tools reaches hosts and keys only through them, so that each use is a call in the log. */
function programProblem(
  file: string,
  { calls, hosts, secrets }: OwnToolDeclaration,
  hasHeader: boolean,
): string | null {
  if (calls === undefined) return null;
  if (programLanguageOf(file) === null || !hasHeader)
    return 'a program with "calls" is a .py or .mjs file, and says so in a header.';
  return hosts.length + secrets.length === 0
    ? null
    : 'a program with "calls" has neither hosts nor secrets of its own.';
}

/** `create_issue.py` gives `create_issue`. */
export function stemOf(file: string): string {
  return file.replace(/\.[^.]+$/, '');
}

/** Whether a file is meant to be a tool. Other files, such as a README or data, are not broken tools. */
export function looksLikeTool(file: string, text: string): boolean {
  return interpreters.has(extensionOf(file)) || text.startsWith('#!') || readHeader(text) !== null;
}

const interpreters: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({ python3: '.py', node: '.js .mjs .cjs .ts .mts .cts', sh: '.sh' }).flatMap(([program, ends]) =>
    ends.split(' ').map((end) => [end, [program]] as const),
  ),
);

function extensionOf(file: string): string {
  return /\.[^.]+$/.exec(file)?.[0].toLowerCase() ?? '';
}

/** The shebang line comes before the file extension. Null: neither says anything. */
function interpreterOf(file: string, text: string): readonly string[] | null {
  const said = /^#!\s*([^\r\n]+)/.exec(text)?.[1]?.trim().split(/\s+/) ?? [];
  const isEnv = /(?:^|\/)env$/.test(said[0] ?? '');
  const words = isEnv ? said.slice(said[1] === '-S' ? 2 : 1) : said;
  return words.length > 0 ? words : (interpreters.get(extensionOf(file)) ?? null);
}

/** The language of a file that can export a tool, else null. */
export function exportingLanguage(file: string): CodeLanguage | null {
  const end = extensionOf(file);
  if (end === '.py') return 'python';
  if (['.js', '.mjs', '.cjs'].includes(end)) return 'javascript';
  return ['.ts', '.mts', '.cts'].includes(end) ? 'typescript' : null;
}

async function exportedIn(text: string, language: CodeLanguage, loadSyntax: SyntaxLoader): Promise<RawDeclaration> {
  const syntax = await loadSyntax();
  const broken = syntax.errorLine(language, text);
  if (broken !== null) return { problem: `Line ${broken}: it cannot be read as ${language}.` };
  return syntax.withTree(language, text, (root) => readExported(root, language));
}

/** Finds the TOML between `# /// dewpoint-tool` and `# ///`, and its lines, in the format of PEP 723. Null: none. */
export function findHeader(
  text: string,
): { readonly begin: number; readonly end: number; readonly mark: string; readonly toml: string } | ToolProblem | null {
  const lines = text.split(/\r?\n/, mostLinesBefore + mostHeaderLines);
  const begin = lines.slice(0, mostLinesBefore).findIndex((line) => opening.test(line));
  if (begin === -1) return null;
  const mark = opening.exec(lines[begin] ?? '')?.[1] ?? '#';
  const body: string[] = [];
  for (const [at, line] of lines.slice(begin + 1).entries()) {
    const trimmed = line.trim();
    if (!trimmed.startsWith(mark)) return unended(begin + at + 2, mark);
    // One space belongs to the comment mark. Further spaces belong to the text.
    const rest = trimmed.slice(mark.length).replace(/^ /, '');
    if (rest.trim() === '///') return { begin, end: begin + 1 + at, mark, toml: body.join('\n') };
    body.push(rest);
  }
  return unended(begin + 1, mark);
}

function readHeader(text: string): RawDeclaration {
  const header = findHeader(text);
  return header === null || 'problem' in header ? header : headerOf(header.toml, header.begin);
}

function unended(line: number, mark: string): ToolProblem {
  return { problem: `Line ${line}: the header has no end. Close it with a line "${mark} ///".` };
}

function headerOf(toml: string, begin: number): RawDeclaration {
  try {
    return { value: parse(toml, { unsafeKeyBehaviour: 'throw', maxDepth: 40 }), line: begin + 1 };
  } catch (error) {
    const isToml = error instanceof TomlError;
    const line = isToml ? begin + 1 + error.line : begin + 1;
    // The parser adds a drawing of the place below the first line of its message.
    const why = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    return {
      problem: `Line ${line}: the header is not right TOML. ${why.replace(/^Invalid TOML document: /, 'Found: ')}.`,
    };
  }
}

function missingText(language: CodeLanguage | null): string {
  const header = 'a header that begins with "/// dewpoint-tool" in a comment';
  if (language === null) return `It does not say what it is: it has no ${header.slice(2)}.`;
  const exported = language === 'python' ? 'an object "tool = {…}"' : 'an object "export default {…}"';
  return `It does not say what it is: it has neither ${header} nor ${exported}.`;
}
