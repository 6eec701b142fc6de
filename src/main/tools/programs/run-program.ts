import { z } from 'zod';
import { firstLine } from '@shared/text/shorten-text.ts';
import { sha256Of } from '../../lib/sha256.ts';
import type { Tool, ToolContext, ToolResult } from '../define.ts';
import { errorResult } from '../values/tool-results.ts';
import { describeProgram } from './describe-program.ts';
import type { EarlierPrograms, ProgramDoor } from './program-calls.ts';
import { programLimits } from './program-limits.ts';
import { announcedSchema, announcementText, readAnnouncement, type Announcement } from './program-announcement.ts';
import type { ProgramEnd, ProgramOutcome } from './run-in-sandbox.ts';
import { runInSandbox } from './run-in-sandbox.ts';

export const programToolName = 'run_program';

/** Bounds stand where the values are used: all of this is told with every prompt. */
const inputSchema = z.object({
  plan: z.string().describe('what it does, in short steps'),
  calls: z
    .array(announcedSchema)
    .describe('all calls that it may make: the tool, how many at most, and where they are web addresses the hosts'),
  program: z.string(),
  timeoutSeconds: z.number().optional(),
});
type Input = z.infer<typeof inputSchema>;

/** The tool by which a model has a program of its own call tools. What it reaches comes with the context of each run. */
export function createProgramTool(): Tool {
  return {
    name: programToolName,
    description: [
      'Run a Python program in the project folder that calls tools: for many calls, or results that you need not read whole.',
      'tools.NAME(argument=value) gives the text of a result (.json(), .data, .exit_code) and raises ToolError;',
      `tools.parallel([("NAME", {…}), …]) runs up to ${programLimits.together} at once.`,
      'What it assigns to "result" comes back: make it small. Other calls than the announced ones are refused.',
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
    run: (value, context) => runProgram(inputSchema.parse(value), context),
  };
}

const mostCharacters = { program: 64_000, plan: 8_000 } as const;

async function runProgram(input: Input, context: ToolContext): Promise<ToolResult> {
  const { programDoor: door } = context;
  if (door === undefined) return errorResult('No program can be run here.');
  const { program, plan } = input;
  if (program.trim() === '') return errorResult('The program is empty.');
  if (program.length > mostCharacters.program || plan.length > mostCharacters.plan)
    return errorResult(
      `Too long: a program has at most ${mostCharacters.program} characters, a plan ${mostCharacters.plan}.`,
    );
  const announcement = readAnnouncement(input.calls, door.tools);
  if ('problems' in announcement)
    return errorResult(`Not run. What it announces is not right:\n${announcement.problems.join('\n')}`);
  const sha256 = sha256Of(program);
  const known = refusedByLog(await door.earlier(sha256));
  if (known !== null) return known;
  const outcome = await runInSandbox(
    {
      program,
      announcement,
      door,
      sandbox: context.sandbox,
      timeoutMs: secondsOf(input) * 1000,
      onPrinted: (bytes) => context.emit('stdout', bytes),
      approve: () => approve(input, announcement, door),
    },
    context.signal,
  );
  return { ...describeProgram(outcome, announcement), data: dataOf(outcome, announcement, sha256) };
}

function secondsOf({ timeoutSeconds = programLimits.seconds }: Input): number {
  return Math.min(programLimits.mostSeconds, Math.max(1, timeoutSeconds));
}

/** What failed before is not tried again as it is, and after some failures it is time for another way. */
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

/** One question for all that leaves the sandbox; where nothing does, none. */
async function approve(
  { plan, program }: Input,
  announcement: Announcement,
  door: ProgramDoor<Tool>,
): Promise<ProgramEnd | null> {
  const leaving = announcement.entries.filter(({ tool, hosts }) => leavesSandbox(tool) || hosts.length > 0);
  if (leaving.length === 0) return null;
  const subject = `a program that calls ${leaving.map(({ tool, most }) => `${tool.name} (at most ${most})`).join(', ')}`;
  const answer = await door.ask({
    subject,
    reason: 'These calls leave the sandbox. A yes is for all of them; each passes the fences. Other calls are refused.',
    text: `Plan:\n${plan}\n\nCalls:\n${announcementText(announcement, 'announced')}\n\nProgram:\n${program}`,
  });
  if (answer === 'allow') return null;
  return { type: 'stopped', status: 'refused', reason: `Not allowed: ${subject}`, isUnanswered: answer === 'nobody' };
}

function leavesSandbox({ access }: Tool): boolean {
  return access === 'network' || access === 'web';
}

/** For the log: what a replay, the limits and the next program go by. */
function dataOf({ end, calls, ms, isUnanswered }: ProgramOutcome, announcement: Announcement, sha256: string): object {
  const accessOf = (name: string): string =>
    announcement.entries.find(({ tool }) => tool.name === name)?.tool.access ?? '';
  const done = calls.filter(({ status }) => status === 'ok');
  return {
    program: {
      sha256,
      end: end.type,
      calls: announcement.entries.map(({ tool, most, made }) => ({ tool: tool.name, most, made })),
      okWrites: done.filter(({ tool }) => accessOf(tool) === 'write').length,
      okCommands: done.filter(({ tool, exitCode }) => accessOf(tool) === 'execute' && exitCode === 0).length,
      ms: Math.round(ms),
    },
    ...(isUnanswered || (end.type === 'stopped' && end.isUnanswered === true) ? { needsApproval: true } : {}),
  };
}
