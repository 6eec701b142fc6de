/**
 * The process that reads a repository. It is separate because a repository that a stranger made can keep the library
 * busy forever, or fill all memory: with an object that is made of itself, or one that unpacks to gigabytes. The
 * question comes in, and one line of JSON goes out. Its parent may kill it at any time.
 */
import { text } from 'node:stream/consumers';
import { AppError, messageOf } from '@shared/errors.ts';
import { readRepository, repositoryInputSchema } from './read-repository.ts';

async function answer(): Promise<object> {
  try {
    const input = repositoryInputSchema.parse(JSON.parse(await text(process.stdin)));
    return { type: 'report', report: await readRepository(input, new AbortController().signal) };
  } catch (error) {
    if (!(error instanceof AppError)) return { type: 'failed', code: 'internal', message: messageOf(error) };
    const { code, message, hint } = error;
    return { type: 'failed', code, message, ...(hint === undefined ? {} : { hint }) };
  }
}

void answer().then((found) => process.stdout.write(`${JSON.stringify(found)}\n`, () => process.exit(0)));
