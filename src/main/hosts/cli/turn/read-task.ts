import { sizeText } from '@shared/text/size-text.ts';
import { usageError } from '../../text/report-failure.ts';

/** The longest task for a model. Longer material belongs in a file of the project. */
export const maximumTaskBytes = 64 * 1024;

/** The task of the command line. `-` reads it from stdin. Refuses empty, too long and non-text input. */
export async function readTask(text: string, input: AsyncIterable<Uint8Array> = process.stdin): Promise<string> {
  const task = text === '-' ? await readAll(input) : text;
  if (task.trim() === '')
    throw usageError('The task is empty.', 'For example: dewpoint run "Fix the failing test" --project .');
  if (Buffer.byteLength(task) > maximumTaskBytes) throw tooLong();
  return task;
}

async function readAll(input: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const bytes of input) {
    size += bytes.length;
    // Does not wait for the rest.
    if (size > maximumTaskBytes) throw tooLong();
    chunks.push(bytes);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(Buffer.concat(chunks));
  } catch {
    throw usageError('The task is not UTF-8 text.', 'Convert it with: iconv -t UTF-8');
  }
}

function tooLong(): Error {
  return usageError(
    `The task is longer than ${sizeText(maximumTaskBytes)}.`,
    'Put long texts into a file of the project, and name the file in the task.',
  );
}
