import { failure, messageOf, success, type Reply } from '@shared/errors.ts';
import { findRipgrep } from '../../lib/programs/platform-files.ts';
import { startProgram } from '../../lib/programs/start-program.ts';
import { parseSearch, searchArguments } from '../files/ripgrep-output.ts';
import type { SearchQuery, SearchResult } from '../sandbox.ts';

const maxOutputBytes = 16 * 1024 * 1024;
const searchMs = 30_000;

/**
 * Searches below `workspacePath` on the host. Reads no configuration and follows no link. `path` must be relative
 * and already checked.
 */
export async function searchHost(
  workspacePath: string,
  query: SearchQuery & { readonly path: string; readonly limit: number },
  signal: AbortSignal,
): Promise<Reply<SearchResult>> {
  const program = findRipgrep();
  if (program === null)
    return failure('internal', 'ripgrep is missing from this installation.', 'Install Dewpoint again.');
  const stdout: Buffer[] = [];
  let bytes = 0;
  let errorText = '';
  const timeout = AbortSignal.timeout(searchMs);
  const code = await new Promise<number | string | null>((resolve) => {
    // This program is the only one that may run in a workspace, because globs are relative to it. It is ours, reads
    // no configuration and starts nothing.
    const child = startProgram({
      program,
      args: [...searchArguments(query), `./${query.path}`],
      folder: workspacePath,
      env: { LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const stop = (): void => void child.kill('SIGKILL');
    signal.addEventListener('abort', stop, { once: true });
    timeout.addEventListener('abort', stop, { once: true });
    child.stdout?.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxOutputBytes) stop();
      else stdout.push(chunk);
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      if (errorText.length < 4096) errorText += chunk.toString();
    });
    child.on('error', (error) => resolve(messageOf(error)));
    child.on('close', (exitCode) => {
      signal.removeEventListener('abort', stop);
      resolve(exitCode);
    });
    if (signal.aborted) stop();
  });
  if (signal.aborted) return failure('cancelled', 'It was cancelled.');
  if (timeout.aborted) return failure('timeout', 'The search took too long.');
  if (typeof code === 'string') return failure('internal', `ripgrep cannot be started: ${code}`);
  const output = Buffer.concat(stdout);
  if ((code ?? 0) > 1 && output.length === 0 && errorText !== '') {
    return failure(
      'bad-input',
      `The pattern cannot be searched for: ${errorText.trim().slice(0, 500)}`,
      'Use `literal` to search for plain text.',
    );
  }
  return success(parseSearch(output, query.limit));
}
