import { Duplex } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { ContainerProgram } from '../../../../../src/main/sandbox/docker/exec/container-process.ts';
import { inputWindow, runnerVersion } from '../../../../../src/main/sandbox/docker/runner/runner-frames.ts';
import { RunnerProcesses } from '../../../../../src/main/sandbox/docker/runner/runner-processes.ts';
import { endedReply, outputReply, replyFrame, throughEngine } from '../../../../fakes/runner-replies.ts';

const program: ContainerProgram = { type: 'command', command: 'true', shell: '/bin/sh', folder: '.' };

/** The other end of the connection: the frames that were sent, by type, and a way to answer. */
function connect() {
  const sent: { readonly type: number; readonly run: number; readonly payload: Buffer }[] = [];
  let rest = Buffer.alloc(0);
  const stream = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _encoding, done) => {
      rest = Buffer.concat([rest, chunk]);
      while (rest.length >= 9 && rest.length >= 9 + rest.readUInt32BE(0)) {
        const end = 9 + rest.readUInt32BE(0);
        sent.push({ type: rest.readUInt8(4), run: rest.readUInt32BE(5), payload: rest.subarray(9, end) });
        rest = rest.subarray(end);
      }
      done();
    },
  });
  const processes = new RunnerProcesses(stream);
  const say = (bytes: Uint8Array): void => void stream.push(throughEngine(1, bytes));
  return { stream, sent, processes, say };
}

const seen = () => {
  const chunks: string[] = [];
  return {
    chunks,
    onChunk: ({ stream, bytes }: { stream: string; bytes: Uint8Array }) =>
      chunks.push(`${stream}:${String(Buffer.from(bytes))}`),
  };
};

describe('processes that the runner starts', () => {
  it('keep their outputs apart, whatever they print', async () => {
    const { processes, say } = connect();
    const [one, two] = [seen(), seen()];
    const first = await processes.start({ program, onChunk: one.onChunk });
    const second = await processes.start({ program, onChunk: two.onChunk });
    // A command may print something that looks like a frame. It must be treated as bytes.
    const forged = endedReply(2, { exitCode: 0, stdoutBytes: 0, stderrBytes: 0 }).toString('latin1');
    const bytes = Buffer.from(forged, 'latin1');
    say(replyFrame(2, 1, bytes));
    say(outputReply(3, 2, 'two'));
    say(endedReply(1, { exitCode: 3, stdoutBytes: bytes.length, stderrBytes: 0 }));
    say(endedReply(2, { exitCode: 0, stdoutBytes: 0, stderrBytes: 3 }));
    expect(await first.ended).toEqual({ type: 'exited', exitCode: 3, isDoubtful: false });
    expect(await second.ended).toEqual({ type: 'exited', exitCode: 0, isDoubtful: false });
    expect([one.chunks.length, two.chunks]).toEqual([1, ['stderr:two']]);
  });

  it('count as lost when output is missing', async () => {
    const { processes, say } = connect();
    const run = await processes.start({ program, onChunk: () => undefined });
    say(outputReply(2, 1, 'abc'));
    say(endedReply(1, { exitCode: 0, stdoutBytes: 4, stderrBytes: 0 }));
    expect(await run.ended).toMatchObject({ type: 'lost' });
  });

  it('report a missing folder and a failed start apart from a normal end', async () => {
    const { processes, say } = connect();
    const runs = [1, 2].map(() => processes.start({ program, onChunk: () => undefined }));
    say(endedReply(1, { exitCode: 127, failed: 1, stdoutBytes: 0, stderrBytes: 0 }));
    say(endedReply(2, { exitCode: 126, failed: 3, stdoutBytes: 0, stderrBytes: 0 }));
    const ends = await Promise.all(runs.map(async (run) => (await run).ended));
    expect(ends.map((end) => end.type)).toEqual(['no-folder', 'not-started']);
  });

  it('get input only as fast as they take it', async () => {
    const { processes, say, sent } = connect();
    const input = (): number =>
      sent.filter(({ type }) => type === 2).reduce((sum, { payload }) => sum + payload.length, 0);
    await processes.start({ program, stdin: new Uint8Array(inputWindow + 1000), onChunk: () => undefined });
    expect([input(), sent.some(({ type }) => type === 3)]).toEqual([inputWindow, false]);
    const taken = Buffer.alloc(4);
    taken.writeUInt32BE(600);
    say(replyFrame(5, 1, taken));
    await expect.poll(input).toBe(inputWindow + 600);
    say(replyFrame(5, 1, taken));
    await expect.poll(input).toBe(inputWindow + 1000);
    say(replyFrame(5, 1, taken));
    expect(sent.filter(({ type }) => type === 3)).toHaveLength(1);
  });

  it('do not leave a writer waiting when they end without reading', async () => {
    const { processes, say } = connect();
    const run = await processes.start({ program, keepInputOpen: true, onChunk: () => undefined });
    const writing = run.write(new Uint8Array(inputWindow + 1));
    say(endedReply(1, { exitCode: 0, stdoutBytes: 0, stderrBytes: 0 }));
    await writing;
    expect(await run.ended).toMatchObject({ type: 'exited' });
  });

  it('are stopped politely and then killed, or killed at once', async () => {
    const { processes, sent } = connect();
    const run = await processes.start({ program, onChunk: () => undefined });
    await run.stop(10);
    await run.stop(0);
    expect(sent.slice(1).map(({ type, payload }) => [type, ...payload])).toEqual([[4, 15], [5], [5]]);
  });

  it.each([
    ['sends what is no frame', (stream: Duplex) => stream.push(throughEngine(1, Buffer.alloc(64, 0xff)))],
    ['ends', (stream: Duplex) => stream.push(null)],
    ['is cut', (stream: Duplex) => stream.destroy(new Error('cut'))],
  ])('are all lost when the container %s, and none is started any more', async (_how, harm) => {
    const { processes, stream } = connect();
    const run = await processes.start({ program, onChunk: () => undefined });
    harm(stream);
    expect(await run.ended).toMatchObject({ type: 'lost' });
    await expect(processes.start({ program, onChunk: () => undefined })).rejects.toThrow();
    await expect(processes.ready).rejects.toThrow();
    expect(stream.destroyed).toBe(true);
  });

  it('report why the runner did not start', async () => {
    const { processes, stream } = connect();
    stream.push(throughEngine(2, Buffer.from('exec format error')));
    stream.push(null);
    await expect(processes.ready).rejects.toThrow(/exec format error/);
  });

  it('refuse a runner of another version', async () => {
    const { processes, say } = connect();
    say(replyFrame(1, 0, Buffer.from([runnerVersion])));
    await processes.ready;
    const other = connect();
    other.say(replyFrame(1, 0, Buffer.from([runnerVersion + 1])));
    await expect(other.processes.ready).rejects.toThrow(/another runner/);
  });
});
