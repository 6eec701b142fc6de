import type { RecipeContext } from '../define.ts';
import type { Frame } from '../../lib/test-output/test-report.ts';
import type { FileText } from '../trial/candidate-change.ts';
import type { Chunk } from '../context/rank-project-chunks.ts';
import { runInCopy } from '../trial/run-in-copy.ts';

/** The output of a program of the project that crashed. */
export interface Crash {
  /** The command that reproduced it; null: the text itself contains the output. */
  readonly command: string | null;
  /** Its last line: "ValueError: …". */
  readonly error: string;
  /** The end of the output, for a prompt. */
  readonly shown: string;
  /** Outermost first, with paths as printed. A path from another machine ends in the path of a project file. */
  readonly frames: readonly Frame[];
}

const speaksOfCrash =
  /\b(?:crash\w*|fail\w*|errors?|exceptions?|traceback|broken|wrong|throws?|raises?|dies|stürzt|fehler|absturz|erreur|plante)\b|错误|崩溃|报错/iu;
const argument = String.raw`(?:-[\w-]+(?:=\S+)?|"[^"\n]*"|'[^'\n]*'|[\w./-]*[./\d][\w/-]*(?:\.\w+)*)`;
const bareCommand = new RegExp(
  String.raw`(?<![\w/.-])((?:python3?|node|bash|sh)\s+[\w./-]+\.(?:py|[cm]?js|ts|sh)(?:[ \t]+${argument})*)`,
  'u',
);
const quotedCommand = /`((?:python3?|node|bash|sh)\s+[^`\s][^`\n]*)`/u;
const errorLine = /^(?:Uncaught )?((?:[\w.]+\.)?\w*(?:Error|Exception|Interrupt|Exit)\b.*)$/gmu;
const shownLines = 16;
const limitSeconds = 20;

/** The command whose crash a text describes; null: it names none, or is about something else. */
export function crashingCommand(task: string): string | null {
  if (!speaksOfCrash.test(task)) return null;
  const command = quotedCommand.exec(task)?.[1] ?? bareCommand.exec(task)?.[1] ?? null;
  return command === null ? null : command.trim().replace(/^python\s/u, 'python3 ');
}

/**
 * Reads the crash from the text if it is pasted there, otherwise by running the command that the text names in a copy.
 */
export async function parseCrash(context: RecipeContext): Promise<Crash | null> {
  const pasted = readCrash(context.task, [], null);
  if (pasted !== null && pasted.frames.length > 0) return pasted;
  return context.canExecute ? reproduceCrash(context, crashingCommand(context.task), []) : null;
}

/** Null: it does not crash, or not in a program of the project. */
export async function reproduceCrash(
  context: RecipeContext,
  command: string | null,
  files: readonly FileText[],
): Promise<Crash | null> {
  if (command === null) return null;
  const ran = await runInCopy(context, files, { command, label: `run ${command}`, limitSeconds });
  if (ran === null || ran.exitCode === 0) return null;
  return readCrash(`${ran.stdout}\n${ran.stderr}`, [ran.root], command);
}

function readCrash(output: string, roots: readonly string[], command: string | null): Crash | null {
  const error = [...output.matchAll(errorLine)].pop()?.[1];
  if (error === undefined) return null;
  const plain = roots.reduce((text, root) => text.replaceAll(`${root}/`, ''), output).trim();
  return { command, error, shown: plain.split('\n').slice(-shownLines).join('\n'), frames: framesOf(plain) };
}

/** A path from another machine is kept as it is, because its end identifies the file. */
function framesOf(output: string): readonly Frame[] {
  const python = /^[ \t]*File "([^"\n]+)", line (\d+)(?:, in (\S+))?/gmu;
  const script = /^[ \t]*at (?:async )?(?:([^\s()]+(?: \[as \w+\])?) \()?(?:file:\/\/)?([^\s()]+):(\d+):\d+\)?$/gmu;
  return [
    ...[...output.matchAll(python)].map(([, path = '', line, name]) => ({
      path,
      line: Number(line),
      name: name ?? null,
    })),
    ...[...output.matchAll(script)]
      .map(([, name, path = '', line]) => ({ path, line: Number(line), name: name?.split('.').pop() ?? null }))
      .reverse(),
  ];
}

/** The places that a crash passed through, the deepest first. */
export function crashPlaces(crash: Crash | null, chunks: readonly Chunk[]): readonly Chunk[] {
  if (crash === null) return [];
  const found = [...crash.frames].reverse().flatMap((frame) => {
    const inFile = chunks.filter(({ path }) => frame.path === path || frame.path.endsWith(`/${path}`));
    const named = inFile.find(({ span }) => span !== null && span.shortName === frame.name);
    return named ?? inFile.find(({ startLine, endLine }) => frame.line >= startLine && frame.line <= endLine) ?? [];
  });
  // If a function is involved, the file's top-level code is seldom at fault.
  const functions = found.filter(({ span }) => span !== null && span.kind !== 'block');
  return [...new Set(functions.length > 0 ? functions : found)];
}
