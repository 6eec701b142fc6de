import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BenchRow } from './rows.ts';
import { openBed, type BenchBed } from './sandbox-bed.ts';
import { median, percentile } from './statistics.ts';

const filesInFolder = 20;
const inARow = 10;

/**
 * What the search for new repositories adds to each command in a large project. The same command runs there and in a
 * project that is only `.git`, in alternating turns of ten.
 */
export async function timeRepositoryLook(rounds: number, files: number): Promise<readonly BenchRow[]> {
  const small = await openBed();
  const large = await openBed({ prepare: (workspace) => fill(workspace, files) });
  try {
    for (let round = 0; round < 10; round += 1) for (const bed of [small, large]) await bed.exec('true');
    const [before, after] = await inTurns([small, large], rounds, 'true');
    const [beforeWrite, afterWrite] = await inTurns([small, large], rounds, 'mkdir -p made && echo x >made/file');
    const note = `median of ${rounds} in turns of ${inARow}; ${files} files in ${Math.ceil(files / filesInFolder)} folders`;
    const row = (figure: string, value: number | null, atMost: number | null): BenchRow => ({
      figure,
      value,
      unit: 'ms',
      target: atMost === null ? null : { atMost },
      note,
    });
    return [
      row('added per command by the look, `true`', difference(median(after), median(before)), 5),
      row(
        'added per command by the look, a command that writes',
        difference(median(afterWrite), median(beforeWrite)),
        5,
      ),
      row('command `true` in that project', median(after), 5),
      row('command `true` in that project, p99', percentile(after, 0.99), 25),
      row('command `true` in an empty project', median(before), null),
    ];
  } finally {
    await Promise.all([small.close(), large.close()]);
  }
}

function difference(left: number | null, right: number | null): number | null {
  return left === null || right === null ? null : left - right;
}

async function inTurns(
  [small, large]: readonly [BenchBed, BenchBed],
  rounds: number,
  command: string,
): Promise<readonly [number[], number[]]> {
  const times: readonly [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += inARow) {
    for (const [bed, list] of [[small, times[0]] as const, [large, times[1]] as const]) {
      for (let again = 0; again < inARow; again += 1) {
        const started = performance.now();
        await bed.exec(command);
        list.push(performance.now() - started);
      }
    }
  }
  return times;
}

async function fill(workspace: string, files: number): Promise<void> {
  for (let folder = 0; folder * filesInFolder < files; folder += 1) {
    const path = join(workspace, 'src', `part-${folder % 40}`, `folder-${folder}`);
    await mkdir(path, { recursive: true });
    for (let file = 0; file < filesInFolder; file += 1) await writeFile(join(path, `file-${file}.ts`), 'export {};\n');
  }
}
