import type { BenchRow } from './rows.ts';
import { none, openBed, valueOf, type BenchBed } from './sandbox-bed.ts';
import { median, percentile } from './statistics.ts';

const bytes = new Uint8Array(4096).fill(97);

/**
 * Times a command and a file operation in a session's container, alternating with the engine's own `exec` of the same
 * work in the same container.
 */
export async function timeOperations(rounds: number): Promise<readonly BenchRow[]> {
  const bed = await openBed();
  try {
    valueOf(await bed.sandbox.files.write('read.txt', bytes, undefined, none));
    const works = {
      command: () => bed.exec('true'),
      read: async () => valueOf(await bed.sandbox.files.read('read.txt', {}, none)),
      write: async () => valueOf(await bed.sandbox.files.write('written.txt', bytes, undefined, none)),
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

/** The time from the request for a sandbox to the end of its first command. The image is already there. */
export async function timeFirstCommand(rounds: number): Promise<BenchRow> {
  const times: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const started = performance.now();
    const bed = await openBed();
    await bed.exec('true');
    // The first round is left out, because it brings files into memory.
    if (round > 0) times.push(performance.now() - started);
    await bed.close();
  }
  return row('first command of a session, cold', median(times), 900, `median of ${rounds}, the image present`);
}

/**
 * How many operations run before the other kind has its turn. In a session, commands do not alternate with an `exec` of
 * the engine.
 */
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
      // Not measured: it absorbs what the kind before left to do.
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
