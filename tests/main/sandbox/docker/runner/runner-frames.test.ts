import { describe, expect, it } from 'vitest';
import {
  createReplyParser,
  inputFrame,
  spawnFrame,
  type RunnerReply,
} from '../../../../../src/main/sandbox/docker/runner/runner-frames.ts';
import { endedReply, outputReply, replyFrame } from '../../../../fakes/runner-replies.ts';

const stream = Buffer.concat([
  replyFrame(1, 0, Buffer.from([1])),
  outputReply(2, 7, 'out'),
  outputReply(3, 7, 'err'),
  outputReply(2, 7, ''),
  replyFrame(5, 7, Buffer.from([0, 1, 0, 0])),
  endedReply(7, { exitCode: 137, failed: 0, hasRunOutOfMemory: true, stdoutBytes: 3, stderrBytes: 5_000_000_000 }),
]);

function read(pieces: readonly Uint8Array[]): RunnerReply[] {
  const replies: RunnerReply[] = [];
  const parser = createReplyParser((reply) => {
    const isOutput = reply.type === 'stdout' || reply.type === 'stderr';
    replies.push(isOutput ? { ...reply, bytes: reply.bytes.slice() } : reply);
  });
  for (const piece of pieces) parser.push(piece);
  return replies;
}

describe('a message of the runner', () => {
  const end = {
    exitCode: 137,
    failed: 'nothing',
    systemError: 0,
    hasRunOutOfMemory: true,
    stdoutBytes: 3,
    stderrBytes: 5_000_000_000,
  };

  it('is read completely', () => {
    expect(read([stream])).toEqual([
      { type: 'hello', version: 1 },
      { type: 'stdout', run: 7, bytes: Buffer.from('out') },
      { type: 'stderr', run: 7, bytes: Buffer.from('err') },
      { type: 'taken', run: 7, bytes: 65_536 },
      { type: 'ended', run: 7, end },
    ]);
  });

  it('is read the same wherever the bytes are cut', () => {
    for (let cut = 1; cut < stream.length; cut += 1) {
      const replies = read([stream.subarray(0, cut), stream.subarray(cut)]);
      const text = (name: string): string =>
        replies.flatMap((reply) => (reply.type === name && 'bytes' in reply ? [String(reply.bytes)] : [])).join('');
      expect([text('stdout'), text('stderr'), replies.at(-1)]).toEqual(['out', 'err', { type: 'ended', run: 7, end }]);
    }
  });

  it.each([
    ['a type that there is not', replyFrame(9, 0, Buffer.alloc(3))],
    ['an answer of the wrong length', replyFrame(4, 1, Buffer.alloc(25))],
    ['an answer that never ends', replyFrame(5, 1, Buffer.alloc(10)).fill(0xff, 0, 4)],
    ['output that is too long', replyFrame(2, 1, Buffer.alloc(10)).fill(0x7f, 0, 4)],
    ['an unknown stage', endedReply(1, { exitCode: 0, failed: 9, stdoutBytes: 0, stderrBytes: 0 })],
    ['an empty greeting', replyFrame(1, 0, Buffer.alloc(0))],
  ])('is refused when it is %s', (_what, bytes) => {
    expect(() => read([bytes])).toThrow(/runner/);
  });
});

describe('a request to the runner', () => {
  it('holds the folder, the environment and the arguments, each ended by NUL', () => {
    const request = { isFileOperation: true, hasInput: true, folder: '.', env: ['A=ä'], argv: ['stat', './x y'] };
    expect(spawnFrame(258, request)).toEqual(
      Buffer.concat([
        Buffer.from([0, 0, 0, 25, 1, 0, 0, 1, 2, 3]),
        Buffer.from('\0\x01.\0\0\x01A=ä\0\0\x02stat\0./x y\0'),
      ]),
    );
    expect(inputFrame(1, Buffer.from('ab'))).toEqual(Buffer.from([0, 0, 0, 2, 2, 0, 0, 0, 1, 97, 98]));
  });
});
