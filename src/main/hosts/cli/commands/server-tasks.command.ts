import { seenName, seenWords } from '@shared/text/seen-text.ts';
import type { CommandContext } from '../../text/command-context.ts';
import type { ToolsArguments } from '../program/tools-program.ts';
import { jsonLine } from '../../text/terminal.ts';

/** `dewpoint tools tasks`: lists the tasks that a server works on, or stops one. */
export async function serverTasks(
  { core, terminal }: CommandContext,
  name: string,
  { stop, json }: ToolsArguments,
): Promise<number> {
  const { tools } = await core();
  if (stop !== undefined) {
    await tools.stopTask({ name, taskId: stop });
    terminal.err(`The server ${seenName(name)} was asked to stop the task ${seenName(stop)}.\n`);
    return 0;
  }
  const found = await tools.tasks({ name });
  if (json === true) {
    terminal.out(jsonLine(found));
    return 0;
  }
  for (const { taskId, status, message, beganAt, isFollowed } of found.tasks) {
    const began = beganAt === null ? '' : `, since ${new Date(beganAt).toISOString().slice(0, 16).replace('T', ' ')}`;
    const said = message === null ? '' : `, it says: ${seenWords(message)}`;
    const waits = isFollowed ? ', a session waits for it' : '';
    terminal.out(`${seenName(taskId).padEnd(36)}  ${status.replace('_', ' ')}${began}${waits}${said}\n`);
  }
  if (!found.canList) terminal.err(`${seenName(name)} lists no tasks. Shown are those that a session waits for.\n`);
  else if (found.tasks.length === 0) terminal.err(`${seenName(name)} has no tasks.\n`);
  if (found.canStop && found.tasks.length > 0) terminal.err(`To end one: dewpoint tools tasks ${name} --stop TASK\n`);
  return 0;
}
