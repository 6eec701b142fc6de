import scriptRunner from '../../../../resources/programs/tools/own-tool.mjs?raw';
import pythonRunner from '../../../../resources/programs/tools/own-tool.py?raw';
import type { Reply } from '@shared/errors.ts';
import { shellQuote } from '../../lib/programs/shell-quote.ts';
import type { ExecRequest, ExecResult } from '../../sandbox/sandbox.ts';
import { killedText } from '../commands/killed-text.ts';
import type { ToolResult } from '../define.ts';
import type { ReadTool } from './read-declaration.ts';
import { hideValues, hideInLines } from './hide-values.ts';

/** A tool whose bytes were checked. Exactly these bytes are run. */
export interface RunnableTool extends ReadTool {
  readonly file: string;
  readonly text: string;
}

export interface OwnToolCall {
  readonly tool: RunnableTool;
  readonly input: Readonly<Record<string, unknown>>;
  /** By name. The call gets them only as environment variables. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly onProgress: (text: string) => void;
  /** Runs a command in the session's container, or in one of its own. */
  readonly run: (request: ExecRequest, signal: AbortSignal) => Promise<Reply<ExecResult>>;
}

/**
 * Runs a tool in a sandbox. The bytes of the file are sent along with the arguments, so that nothing there or on the
 * disk can replace them. The result contains none of the given secrets.
 */
export async function runOwnTool(call: OwnToolCall): Promise<ToolResult> {
  const { tool, secrets, signal } = call;
  const lines = hideInLines(secrets, call.onProgress);
  const ran = await call.run(
    {
      ...programFor(call),
      timeoutMs: tool.declaration.timeout_seconds * 1000,
      env: secrets,
      onOutput: ({ stream, bytes }) => {
        // Standard output is the result, not progress.
        if (stream === 'stderr') lines.push(bytes);
      },
    },
    signal,
  );
  lines.end();
  if (!ran.ok) {
    const { code, message, hint } = ran.error;
    if (code === 'cancelled' || signal.aborted) return cancelled(tool.name);
    return { status: 'error', output: [`${tool.name} was not run: ${message}`, hint ?? ''].join(' ').trim() };
  }
  const hide = (text: string): string => hideValues(text, secrets);
  return resultOf(tool, { ...ran.value, stdout: hide(ran.value.stdout), stderr: hide(ran.value.stderr) });
}

/**
 * A command that writes the files from its input into an empty folder, each by its exact length, and leaves the rest of
 * the input to the tool.
 */
function programFor({ tool, input }: Pick<OwnToolCall, 'tool' | 'input'>): Pick<ExecRequest, 'command' | 'stdin'> {
  const runner = tool.form === 'exported' ? runnerFor(tool.file, tool.text) : null;
  const files = [...(runner === null ? [] : [runner.runner]), { name: runner?.fileName ?? tool.file, text: tool.text }];
  const bytes = files.map(({ text }) => Buffer.from(text));
  const placed = files.map(({ name }) => `"$dewpoint_tool"/${shellQuote(name)}`);
  const copies = placed.map(
    (place, at) => `dd of=${place} bs=${bytes[at]?.length ?? 0} count=1 iflag=fullblock 2>/dev/null`,
  );
  const command = [
    'dewpoint_tool=$(mktemp -d) || exit 125',
    'trap \'rm -rf "$dewpoint_tool"\' EXIT',
    `{ ${copies.join(' && ')}; } || exit 125`,
    [...tool.interpreter.map(shellQuote), ...placed].join(' '),
  ].join('\n');
  return { command, stdin: Buffer.concat([...bytes, Buffer.from(JSON.stringify(input))]) };
}

/** Only the end of the output is kept, because the reason of a failure is there. */
const longestReason = 4_000;

function resultOf(tool: RunnableTool, ran: ExecResult): ToolResult {
  const { name } = tool;
  const seconds = tool.declaration.timeout_seconds;
  const said = endOf(ran.stderr.trim() === '' ? ran.stdout : ran.stderr);
  const failed = (status: ToolResult['status'], what: string): ToolResult => ({
    status,
    exitCode: ran.exitCode,
    output: said === '' ? what : `${what}\n${said}`,
  });
  switch (ran.outcome) {
    case 'exited': {
      if (ran.exitCode === 0)
        return { status: 'ok', exitCode: 0, output: ran.stdout.trim() === '' ? '(It printed nothing.)' : ran.stdout };
      if (ran.exitCode === 127)
        return failed('error', `${name} did not run: ${tool.interpreter[0] ?? ''} is not in the image of the sandbox.`);
      if (ran.exitCode === 125)
        return failed('error', `${name} did not run: its file could not be put into the sandbox.`);
      return failed('error', `${name} ended with code ${ran.exitCode ?? 'unknown'}.`);
    }
    case 'timed-out':
      return failed('timed-out', `${name} was stopped after ${seconds} s. Its file can allow more: timeout_seconds.`);
    case 'cancelled':
      return cancelled(name);
    case 'killed':
      return failed('error', `${name} was killed ${killedText(ran)}.`);
    case 'lost':
      return failed('unknown', `The sandbox was lost while ${name} ran. Nobody knows what it did.`);
    default:
      return ran.outcome satisfies never;
  }
}

function cancelled(name: string): ToolResult {
  return { status: 'cancelled', output: `${name} was cancelled. What it did before that is done.` };
}

function endOf(text: string): string {
  const whole = text.trim();
  return whole.length <= longestReason ? whole : `… ${whole.slice(-longestReason)}`;
}

interface Runner {
  /** The file that is started. It loads the tool that its argument names. */
  readonly runner: { readonly name: string; readonly text: string };
  /** The name that the file of the tool must have there. */
  readonly fileName: string;
}

/** The program that calls the function of an exported tool. What its file prints is not part of the result. */
export function runnerFor(file: string, text: string): Runner {
  if (file.toLowerCase().endsWith('.py'))
    return { runner: { name: 'dewpoint_run.py', text: pythonRunner }, fileName: 'dewpoint_tool.py' };
  // Without a package.json, only the file name says whether a file is a module.
  const lines = text.split('\n').map((line) => line.trimStart());
  const isModule = lines.some((line) => /^export\b/.test(line));
  const kind = !isModule && lines.some((line) => /^(?:module\.)?exports\b/.test(line)) ? 'c' : 'm';
  const end = /ts$/i.test(file) ? 'ts' : 'js';
  return { runner: { name: 'dewpoint_run.mjs', text: scriptRunner }, fileName: `dewpoint_tool.${kind}${end}` };
}
