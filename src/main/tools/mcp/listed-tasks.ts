import type { ServerTask, ServerTasks } from '@shared/tools/task-list.ts';
import { fieldOf } from '@shared/unknown-value.ts';
import { AppError, messageOf } from '@shared/errors.ts';
import type { TaskServer } from './server-tasks.ts';
import { readTask } from './server-tasks.ts';
import { orNoted } from '../../lib/log.ts';

/** At most this many tasks are listed. */
const mostListed = 200;
const mostPages = 10;
const longestMessage = 600;

/**
 * The tasks that a server lists, and those that are followed from here. Only servers of the 2025 revision can list
 * tasks. In the 2026 revision only the caller knows a task.
 */
export async function listTasks(server: TaskServer, signal: AbortSignal): Promise<ServerTasks> {
  const listed = server.canList ? await allPages(server, signal) : [];
  const names = new Set(listed.map(({ taskId }) => taskId));
  const others = [...server.followed.keys()].filter((taskId) => !names.has(taskId));
  const asked = await Promise.all(
    others.map(async (taskId) =>
      taskOf(
        server,
        await server
          .ask('tasks/get', { taskId }, signal)
          .catch(orNoted('A task of a tool server was not looked up', null)),
      ),
    ),
  );
  return { canList: server.canList, canStop: server.canCancel, tasks: [...listed, ...asked.flat()] };
}

async function allPages(server: TaskServer, signal: AbortSignal): Promise<readonly ServerTask[]> {
  const found: ServerTask[] = [];
  let cursor: unknown;
  for (let page = 0; page < mostPages && found.length < mostListed; page += 1) {
    const answer = await server.ask('tasks/list', cursor === undefined ? {} : { cursor }, signal);
    const tasks = fieldOf(answer, 'tasks');
    found.push(...(Array.isArray(tasks) ? tasks : []).flatMap((one) => taskOf(server, one)));
    cursor = fieldOf(answer, 'nextCursor');
    if (typeof cursor !== 'string') break;
  }
  return found.slice(0, mostListed);
}

/** Empty if the value cannot be read. */
function taskOf({ followed }: TaskServer, value: unknown): readonly ServerTask[] {
  try {
    const { taskId, status, statusMessage } = readTask(value);
    const began = fieldOf(value, 'createdAt');
    const at = typeof began === 'string' ? Date.parse(began) : Number.NaN;
    return [
      {
        taskId,
        status,
        message: statusMessage?.slice(0, longestMessage) ?? null,
        beganAt: Number.isNaN(at) ? null : at,
        isFollowed: followed.has(taskId),
      },
    ];
  } catch {
    return [];
  }
}

/** Tells the server to cancel a task. The call that follows the task then ends too. */
export async function stopTask(server: TaskServer, taskId: string, signal: AbortSignal): Promise<void> {
  if (!server.canCancel) throw new AppError('refused', 'The server cannot end a task. Nothing was stopped.');
  await server.ask('tasks/cancel', { taskId }, signal).catch((error: unknown) => {
    throw new AppError('refused', `The server did not end it: ${messageOf(error).slice(0, longestMessage)}`);
  });
  server.followed.get(taskId)?.wake();
}
