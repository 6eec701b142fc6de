import { usageError } from './fail.ts';

/** What a model could still read as a task; longer material belongs into a file of the project. */
export const maximumTaskBytes = 64 * 1024;

/** The task of the command line; `-` reads it from stdin. Refused: empty, too long, not text. */
export async function readTask(text: string): Promise<string> {
  const task = text === '-' ? await readAll() : text;
  if (task.trim() === '')
    throw usageError('The task is empty.', 'For example: dewpoint run "Fix the failing test" --project .');
  const size = Buffer.byteLength(task);
  if (size > maximumTaskBytes) {
    throw usageError(
      `The task has ${size} bytes; at most ${maximumTaskBytes} are taken.`,
      'Put long material into a file of the project and name the file in the task.',
    );
  }
  return task;
}

async function readAll(): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    chunks.push(bytes);
    // One byte more than is taken is enough to refuse it.
    if (size > maximumTaskBytes) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}
