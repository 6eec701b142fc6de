/**
 * The process that works with a repository. It is separate because a repository that a stranger made can keep the
 * library busy forever, or fill all memory: with an object that is made of itself, or one that unpacks to gigabytes. A
 * job comes in as a line of JSON, and its answer goes out as one. Before the answer, it may ask for calls to a host,
 * because it has no token and connects to nothing. Its parent may kill it at any time.
 */
import { createInterface } from 'node:readline';
import { AppError, messageOf } from '@shared/errors.ts';
import type { CloneStep } from '@shared/git/clone-progress.ts';
import { refuseConnections } from '../../lib/net/no-connections.ts';
import { endWithParent } from '../../lib/programs/end-with-parent.ts';
import type { SendCall } from '../hosting-calls.ts';
import { doGitJob } from './do-job.ts';
import { callAnswerSchema } from './git-answer.ts';
import { gitJobSchema } from './git-job.ts';

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

async function nextLine(): Promise<unknown> {
  const { value, done } = await lines.next();
  if (done === true) throw new Error('The input ended.');
  return JSON.parse(value);
}

const say = (what: object): Promise<void> =>
  new Promise((resolve) => process.stdout.write(`${JSON.stringify(what)}\n`, () => resolve()));

const send: SendCall = async ({ method, url, headers, body }) => {
  const bytes = body === null ? null : Buffer.from(body).toString('base64');
  await say({ type: 'call', method, url: url.href, headers, body: bytes });
  const { pieces: left, ...answer } = callAnswerSchema.parse(await nextLine());
  const pieces: Buffer[] = [];
  for (let count = 0; count < left; count += 1) pieces.push(Buffer.from(String(await nextLine()), 'base64'));
  return { ...answer, bytes: Buffer.concat(pieces) };
};

const onProgress = (progress: CloneStep): void => void say({ type: 'progress', progress });

async function answer(): Promise<object> {
  try {
    await endWithParent();
    const job = gitJobSchema.parse(await nextLine());
    return { type: 'done', value: await doGitJob(job, { signal: new AbortController().signal, send, onProgress }) };
  } catch (error) {
    if (!(error instanceof AppError)) return { type: 'failed', code: 'internal', message: messageOf(error) };
    const { code, message, hint } = error;
    return { type: 'failed', code, message, ...(hint === undefined ? {} : { hint }) };
  }
}

refuseConnections();
void answer()
  .then(say)
  .then(() => process.exit(0));
