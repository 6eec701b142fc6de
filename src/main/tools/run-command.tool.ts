import { z } from 'zod';
import { defineTool } from './define.ts';
import { describeExec } from './exec-result.ts';
import { failureResult } from './results.ts';

export default defineTool({
  name: 'run_command',
  description: 'Run a shell command in the project. No network.',
  access: 'execute',
  input: z.object({
    command: z.string().min(1).max(20_000),
    why: z.string().max(500).optional(),
    timeoutSeconds: z.number().positive().max(3600).optional(),
  }),
  label: ({ command, why }) => `run ${command}${why === undefined ? '' : ` (${why})`}`,
  create: () => async (input, context) => {
    const timeoutMs = input.timeoutSeconds === undefined ? context.facts.commandTimeoutMs : input.timeoutSeconds * 1000;
    const reply = await context.sandbox.exec(
      { command: input.command, timeoutMs, onOutput: ({ stream, bytes }) => context.emit(stream, bytes) },
      context.signal,
    );
    return reply.ok ? describeExec(reply.value) : failureResult(reply.error);
  },
});
