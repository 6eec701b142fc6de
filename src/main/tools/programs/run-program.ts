import { z } from 'zod';
import { issuesText } from '../../lib/issue-text.ts';
import { firstLine } from '@shared/text/shorten-text.ts';
import { keptNamesSchema, type KeptNames } from '@shared/tools/kept-program.ts';
import { announcedSchema } from '@shared/tools/own-tool.ts';
import { programLanguages, programToolName } from '@shared/tools/program-tool.ts';
import type { ProgramWriter } from '@shared/tools/program-writer.ts';
import { isRecord } from '@shared/unknown-value.ts';
import { sha256Of } from '../../lib/sha256.ts';
import type { Tool, ToolContext, ToolResult } from '../define.ts';
import { errorResult } from '../values/tool-results.ts';
import { approveProgram } from './approve-program.ts';
import { describeProgram } from './describe-program.ts';
import type { EarlierPrograms } from './program-calls.ts';
import { importedBy } from './imported-programs.ts';
import { programLimits } from './program-limits.ts';
import { readAnnouncement, type Announcement } from './program-announcement.ts';
import type { ProgramOutcome } from './run-in-sandbox.ts';
import { runInSandbox } from './run-in-sandbox.ts';

/** Limits are checked where values are used, because the whole schema is part of every prompt. */
const inputSchema = z.object({
  plan: z.string().describe('what it does, in short steps'),
  calls: z
    .array(announcedSchema)
    .describe('all calls that it may make: each tool, at most how often, and the hosts of web addresses'),
  program: z.string(),
  language: z.enum(programLanguages).default('python'),
  timeoutSeconds: z.number().optional(),
  keep: z
    .object({ name: z.string(), description: z.string(), input_schema: z.record(z.string(), z.unknown()).optional() })
    .optional()
    .describe(
      'proposes to keep it as a tool of the project; "arguments" (JavaScript: "args") is what that is called with',
    ),
});
type Input = z.infer<typeof inputSchema>;

/** The tool by which a model runs a program that calls tools. The context of each run says which tools it reaches. */
export function createProgramTool(): Tool {
  return {
    name: programToolName,
    description: [
      'Run a program in the project folder that calls tools: for many calls, or results that you need not read whole.',
      'tools.NAME(argument=value) gives the text of a result (.json(), .data, .exit_code) and raises ToolError;',
      `tools.parallel([("NAME", {…}), …]) runs up to ${programLimits.together} at once.`,
      'JavaScript: an ES module with await tools.NAME({argument: value}), tools.parallel([["NAME", {…}], …]), import.meta.main.',
      'What it assigns to "result" comes back: make it small, and stop once you know enough. Other calls than the announced ones are refused.',
      '"state" stays for later programs. Functions test_… run first, without tools:',
      'then the work stands below if __name__ == "__main__".',
    ].join(' '),
    access: 'execute',
    isLong: true,
    isForStrong: true,
    isProgram: true,
    input: inputSchema,
    label: (value) => {
      const { plan, calls } = inputSchema.parse(value);
      return `program: ${firstLine(plan)} (${calls.map(({ tool, most }) => `${tool} ≤ ${most}`).join(', ')})`;
    },
    run: async (value, context) => {
      const { keep, ...asked } = inputSchema.parse(value);
      if (keep === undefined) return runProgram({ ...asked, arguments: {} }, context);
      const proposed = keptNamesSchema.safeParse(keep);
      if (!proposed.success) return errorResult(`Not run. "keep": ${issuesText(proposed.error.issues, 'it')}.`);
      return runProgram({ ...asked, arguments: {}, keep: proposed.data }, context);
    },
  };
}

const mostCharacters = { program: 64_000, plan: 8_000 } as const;

/** A program to run: one that a model wrote, or a kept one. */
export interface AskedProgram extends Pick<Input, 'plan' | 'calls' | 'program' | 'language' | 'timeoutSeconds'> {
  /** Only for kept programs: the arguments of the call. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Set for a kept program: what wrote it. Absent: the model of this call writes it. */
  readonly kept?: { readonly writer: ProgramWriter | null };
  /** The name, description and arguments under which the model suggests to keep it. */
  readonly keep?: KeptNames;
}

export type ProgramWays = Pick<ToolContext, 'programDoor' | 'sandbox' | 'emit' | 'signal'>;

/** Checks a program, gets approval for what leaves the sandbox, and runs it. */
export async function runProgram(asked: AskedProgram, ways: ProgramWays): Promise<ToolResult> {
  const { programDoor: door } = ways;
  if (door === undefined) return errorResult('No program can be run here: only in a session.');
  const { program, plan, language } = asked;
  if (program.trim() === '') return errorResult('The program is empty.');
  if (program.length > mostCharacters.program || plan.length > mostCharacters.plan)
    return errorResult(
      `Too long: a program has at most ${mostCharacters.program} characters, a plan ${mostCharacters.plan}.`,
    );
  const announcement = readAnnouncement(asked.calls, door.tools);
  if ('problems' in announcement)
    return errorResult(`Not run. What it announces is not right:\n${announcement.problems.join('\n')}`);
  const kept = await door.kept();
  const modules = importedBy(program, language, kept);
  const sha256 = sha256Of(program);
  // Other arguments, another language or changed imports make it a different program.
  const { length } = [...Object.keys(asked.arguments), ...Object.keys(modules)];
  const isPlain = length === 0 && language === 'python';
  const runSha256 = isPlain ? sha256 : sha256Of(JSON.stringify([program, asked.arguments, modules, language]));
  const earlier = await door.earlier(runSha256);
  const known = refusedByLog(earlier);
  if (known !== null) return known;
  const limitMs = secondsOf(asked) * 1000;
  const outcome = await runInSandbox(
    {
      program,
      language,
      modules,
      announcement,
      door,
      arguments: asked.arguments,
      state: earlier.state,
      sandbox: ways.sandbox,
      timeoutMs: limitMs,
      onPrinted: (bytes) => ways.emit('stdout', bytes),
      approve: (imports) =>
        approveProgram({ ...asked, modules, imports, importable: kept, limitMs }, announcement, door),
    },
    ways.signal,
  );
  const left = stateLeft(outcome, earlier.state);
  const told = describeProgram(outcome, announcement);
  const notes = [told.output, left.note, keepNote(asked, outcome)].filter((note) => note !== '');
  const facts = {
    sha256,
    runSha256,
    language,
    writer: asked.kept === undefined ? door.writer() : asked.kept.writer,
    ...left.kept,
    ...(asked.keep === undefined ? {} : { keep: asked.keep }),
  };
  return { ...told, output: notes.join('\n'), data: dataOf(outcome, announcement, facts) };
}

/** The state for later programs of the session, if the program ended well and the state is not too large. */
function stateLeft({ end }: ProgramOutcome, before: unknown): { readonly note: string; readonly kept: object } {
  if (end.type !== 'done' || !isRecord(end.state)) return { note: '', kept: {} };
  const json = JSON.stringify(end.state);
  if (json === JSON.stringify(before)) return { note: '', kept: {} };
  const most = programLimits.stateCharacters;
  if (json.length <= most) return { note: '', kept: { state: end.state } };
  return { note: `Its state was not kept: it has ${json.length} characters as JSON. The limit is ${most}.`, kept: {} };
}

function keepNote({ keep }: AskedProgram, { end }: ProgramOutcome): string {
  return keep === undefined || end.type !== 'done' ? '' : `The person was told that it could be kept as ${keep.name}.`;
}

function secondsOf({ timeoutSeconds = programLimits.seconds }: AskedProgram): number {
  return Math.min(programLimits.mostSeconds, Math.max(1, timeoutSeconds));
}

/** The same failed program is not run again, and after several failures the model must try another way. */
function refusedByLog({ sameFailed, failed }: EarlierPrograms): ToolResult | null {
  if (sameFailed !== null)
    return errorResult(
      `Not run: this very program failed before, and nothing has changed since. Change the plan. It said:\n${sameFailed}`,
    );
  if (failed < programLimits.failures) return null;
  return errorResult(
    `Not run: ${failed} programs failed in this turn. Go back to the plan, and call the tools one by one.`,
  );
}

/** For the log: replay, the limits and the next program use it. */
function dataOf(
  { end, calls, tests, ms, isUnanswered }: ProgramOutcome,
  announcement: Announcement,
  facts: object,
): object {
  const accessOf = (name: string): string =>
    announcement.entries.find(({ tool }) => tool.name === name)?.tool.access ?? '';
  const done = calls.filter(({ status }) => status === 'ok');
  return {
    program: {
      ...facts,
      end: end.type,
      ...(end.type === 'not-run' ? { problems: end.problems } : {}),
      calls: announcement.entries.map(({ tool, most, made, hosts, paths }) => ({
        tool: tool.name,
        most,
        made,
        ...(hosts.length === 0 ? {} : { hosts }),
        ...(paths === null ? {} : { paths }),
      })),
      refused: calls.filter(({ status }) => status === 'refused').length,
      tests,
      okWrites: done.filter(({ tool }) => accessOf(tool) === 'write').length,
      okCommands: done.filter(({ tool, exitCode }) => accessOf(tool) === 'execute' && exitCode === 0).length,
      ms: Math.round(ms),
    },
    ...(isUnanswered || (end.type === 'stopped' && end.isUnanswered === true) ? { needsApproval: true } : {}),
  };
}
