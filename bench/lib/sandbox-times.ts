import type { BenchRow } from './rows.ts';
import { none, openBed, valueOf, type BenchBed } from './sandbox-bed.ts';
import { median, percentile } from './statistics.ts';

const bytes = new Uint8Array(4096).fill(97);

/**
 * What a command and a file operation take in the container of a session, and what the engine's own `exec` takes for the
 * same in the same container, in turn.
 */
export async function timeOperations(rounds: number): Promise<readonly BenchRow[]> {
  const bed = await openBed();
  try {
    valueOf(await bed.sandbox.writeFile('read.txt', bytes, undefined, none));
    const works = {
      command: () => bed.exec('true'),
      read: async () => valueOf(await bed.sandbox.readFile('read.txt', {}, none)),
      write: async () => valueOf(await bed.sandbox.writeFile('written.txt', bytes, undefined, none)),
      execCommand: await engineExec(bed, ['/bin/true']),
      execRead: await engineExec(bed, ['/bin/cat', 'read.txt']),
    };
    for (let round = 0; round < 5; round += 1) await works.command();
    const times = await inTurn(works, rounds);
    return rowsOf(times, `median of ${rounds}, in turns of ${inARow}`);
  } finally {
    await bed.close();
  }
}

/** From the wish for a sandbox to the end of its first command; the image is there. */
export async function timeFirstCommand(rounds: number): Promise<BenchRow> {
  const times: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const started = performance.now();
    const bed = await openBed();
    await bed.exec('true');
    // The first one brings files into memory.
    if (round > 0) times.push(performance.now() - started);
    await bed.close();
  }
  return row('first command of a session, cold', median(times), 900, `median of ${rounds}, the image present`);
}

/** How often one is done before the next: commands of a session do not follow an `exec` of the engine each. */
const inARow = 10;

type Work = () => Promise<unknown>;

async function engineExec(bed: BenchBed, argv: readonly string[]): Promise<Work> {
  const [id = ''] = await bed.containers();
  const container = bed.engine.docker.getContainer(id);
  return async () => {
    const exec = await container.exec({ Cmd: [...argv], AttachStdout: true, AttachStderr: true });
    const stream = await exec.start({});
    for await (const piece of stream) void piece;
    await exec.inspect();
  };
}

async function inTurn<K extends string>(
  works: Readonly<Record<K, Work>>,
  rounds: number,
): Promise<(name: K) => readonly number[]> {
  const times = new Map<string, number[]>();
  for (let round = 0; round < rounds; round += inARow) {
    for (const [name, work] of Object.entries<Work>(works)) {
      // Not measured: what the one before has left to be done.
      await work();
      for (let again = 0; again < inARow; again += 1) {
        const started = performance.now();
        await work();
        times.set(name, [...(times.get(name) ?? []), performance.now() - started]);
      }
    }
  }
  return (name) => times.get(name) ?? [];
}

type Times = Awaited<ReturnType<typeof inTurn<'command' | 'read' | 'write' | 'execCommand' | 'execRead'>>>;

function rowsOf(timesOf: Times, note: string): readonly BenchRow[] {
  return [
    row('command `true`, session container', median(timesOf('command')), 5, note),
    row('command `true`, p99', percentile(timesOf('command'), 0.99), 25, note),
    row('read 4 KB', median(timesOf('read')), 2, note),
    row('write 4 KB', median(timesOf('write')), 5, note),
    row('`true` by exec of the engine', median(timesOf('execCommand')), null, note),
    row('read 4 KB by exec of the engine', median(timesOf('execRead')), null, note),
  ];
}

function row(figure: string, value: number | null, atMost: number | null, note: string): BenchRow {
  return { figure, value, unit: 'ms', target: atMost === null ? null : { atMost }, note };
}
