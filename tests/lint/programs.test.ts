import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { parseSync } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import {
  memoryNotice,
  noFolderExit,
  runMark,
  scriptFiles,
} from '../../src/main/sandbox/docker/exec/container-scripts.ts';
import { fileExits } from '../../src/main/sandbox/docker/files/file-scripts.ts';
import { programLimits } from '../../src/main/tools/programs/program-limits.ts';

/**
 * Catches: a program for a sandbox, a test run or a frame that no tool of its language ever read, because it stands in a
 * string or is wrong by itself; and a number of it that is not the one that Dewpoint counts with.
 */
const root = resolve(import.meta.dirname, '../..');
const folder = join(root, 'resources', 'programs');
const mostLines = 15;

const textOf = (name: string): string => readFileSync(join(folder, name), 'utf8');
const namesOf = (ending: string): string[] => globSync(`*/*${ending}`, { cwd: folder });

/** What a program says against files. */
async function saidBy(program: string, args: readonly string[]): Promise<string> {
  return promisify(execFile)(program, args, { cwd: folder }).then(
    () => '',
    (error: unknown) => String(error),
  );
}

describe('programs in resources', () => {
  it('are all in a language that is checked here', () => {
    const all = globSync('**/*.*', { cwd: folder });
    expect(all.filter((name) => !/\.(?:py|sh|[cm]?js)$/u.test(name))).toEqual([]);
    expect(all.length).toBeGreaterThan(20);
  });

  it('are read by Node, a shell and Python without an error', async () => {
    const each = (ending: string, program: string, option: string): Promise<string>[] =>
      namesOf(ending).map((name) => saidBy(program, [option, name]));
    const isUnix = process.platform !== 'win32';
    const parse = 'import ast, sys; [ast.parse(open(name, encoding="utf-8").read(), name) for name in sys.argv[1:]]';
    const said = await Promise.all([
      ...each('js', process.execPath, '--check'),
      ...(isUnix ? [...each('.sh', 'sh', '-n'), saidBy('python3', ['-c', parse, ...namesOf('.py')])] : []),
    ]);
    expect(said.filter((text) => text !== '')).toEqual([]);
  });

  it('have the limits and marks that Dewpoint expects', () => {
    expect(textOf('tools/node-client.cjs')).toContain(`const MOST_IMPORTS = ${programLimits.imports};`);
    expect(textOf('tools/python-client.py')).toContain(`MOST_IMPORTS = 1000000, ${programLimits.imports}\n`);
    expect(textOf('tools/python-client.py')).toContain(`ThreadPoolExecutor(${programLimits.together})`);
    expect(scriptFiles.run).toContain(`exit ${noFolderExit}; }`);
    expect(scriptFiles.run).toContain(memoryNotice);
    const exits = namesOf('.sh').flatMap((name) =>
      name.startsWith('files') ? [...textOf(name).matchAll(/\bexit (\d+)/gu)].map((match) => Number(match[1])) : [],
    );
    expect(new Set(exits)).toEqual(new Set([0, 2, ...Object.values(fileExits)]));
    for (const text of [scriptFiles.run, scriptFiles.kill]) expect(text).toContain(`"${runMark}=$1"`);
  });
});

describe('strings in the code', () => {
  it('contain no programs', () => {
    const files = globSync('src/**/*.{ts,tsx}', { cwd: root });
    const found = files.flatMap((file) => {
      const code = readFileSync(join(root, file), 'utf8');
      return mayHaveLongText(code) ? longTexts(code).map((at) => `${file}:${at}`) : [];
    });
    expect(found).toEqual([]);
  });

  it('are recognized as programs in one text or in lines', () => {
    const line = 'if [ "$1" = x ]; then echo "$(date)"; fi';
    const lines = Array.from({ length: mostLines + 1 }, () => line);
    expect(longTexts(`const a = \`${lines.join('\n')}\`;`)).toEqual([1]);
    expect(longTexts(`const a = String.raw\`${lines.join('\n')}\`;`)).toEqual([1]);
    expect(longTexts(`const a = [\n${lines.map((one) => `'${one}',`).join('\n')}\n].join('\\n');`)).toEqual([1]);
    expect(longTexts(`const a = \`${lines.slice(1).join('\n')}\`;`)).toEqual([]);
    expect(longTexts(`const a = \`${lines.map(() => 'a few words').join('\n')}\`.split(' ');`)).toEqual([]);
  });
});

/** Most files have none, and to read them all as code takes half a minute. */
function mayHaveLongText(code: string): boolean {
  const beginsText = /(?:\braw|\breturn|[=(:,[>?+]) ?`[^`\n]*\n/u.test(code);
  return beginsText || code.split('\n').filter((line) => /^\s*['"`].*[=(;{]/u.test(line)).length > mostLines;
}

/** The lines of a file where a text begins that is longer than it may be, and is more than a list of words. */
function longTexts(code: string): number[] {
  const found: number[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const lines = linesOf(node, code);
    const isLong = lines.length > mostLines && lines.filter((line) => /[=(;{]/u.test(line)).length > lines.length / 3;
    if (isLong && 'start' in node) found.push(code.slice(0, Number(node.start)).split('\n').length);
    else for (const part of Object.values(node)) visit(part);
  };
  visit(parseSync('file.tsx', code).program.body);
  return found;
}

/** The lines of a template, or of a list that has hardly anything but texts. */
function linesOf(node: object, code: string): string[] {
  if (!('type' in node && 'start' in node && 'end' in node)) return [];
  const text = code.slice(Number(node.start), Number(node.end));
  if (node.type === 'TemplateLiteral') return text.split('\n');
  if (node.type !== 'ArrayExpression' || !('elements' in node) || !Array.isArray(node.elements)) return [];
  const texts = node.elements.filter((one: unknown) => isText(one));
  return texts.length < node.elements.length / 2 ? [] : text.split('\n').filter((line) => /^\s*['"`]/u.test(line));
}

function isText(node: unknown): boolean {
  if (typeof node !== 'object' || node === null || !('type' in node)) return false;
  return (
    node.type === 'TemplateLiteral' || (node.type === 'Literal' && 'value' in node && typeof node.value === 'string')
  );
}
