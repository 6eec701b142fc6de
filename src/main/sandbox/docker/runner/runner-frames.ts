/**
 * The protocol of the runner (`resources/sandbox/runner/runner.c`): length of the payload (32 bits), type (8), run
 * (32), big-endian, then the payload.
 */
export const runnerVersion = 2;

/** The most input of one run that may be in transit. More would end the runner. */
export const inputWindow = 256 * 1024;

const requestTypes = { spawn: 1, input: 2, inputEnd: 3, signal: 4, kill: 5 } as const;
const replyTypes = { hello: 1, stdout: 2, stderr: 3, ended: 4, taken: 5 } as const;
const headerBytes = 9;
/** The longest payload other than output. */
const maxAnswer = 256;
const maxOutput = 1024 * 1024;

export type RunnerReply =
  | { readonly type: 'hello'; readonly version: number }
  /** A piece of output. The bytes are a view on the input. */
  | { readonly type: 'stdout' | 'stderr'; readonly run: number; readonly bytes: Uint8Array }
  | { readonly type: 'ended'; readonly run: number; readonly end: RunnerEnd }
  | { readonly type: 'taken'; readonly run: number; readonly bytes: number };

export interface RunnerEnd {
  /** As in a shell: 128 plus the signal if a signal ended it. */
  readonly exitCode: number;
  /** What failed before the command began. */
  readonly failed: 'nothing' | 'folder' | 'exec' | 'system';
  readonly systemError: number;
  /** The kernel killed a process for its memory during the run. */
  readonly hasRunOutOfMemory: boolean;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
}

export interface SpawnRequest {
  readonly isFileOperation: boolean;
  readonly hasInput: boolean;
  readonly folder: string;
  readonly env: readonly string[];
  readonly argv: readonly string[];
}

export function spawnFrame(run: number, request: SpawnRequest): Buffer {
  const flags = Buffer.from([(request.isFileOperation ? 1 : 0) + (request.hasInput ? 2 : 0)]);
  const payload = [flags, ...[[request.folder], request.env, request.argv].map(stringsOf)];
  return frame(requestTypes.spawn, run, Buffer.concat(payload));
}

export function inputFrame(run: number, bytes: Uint8Array): Buffer {
  return frame(requestTypes.input, run, bytes);
}

export function inputEndFrame(run: number): Buffer {
  return frame(requestTypes.inputEnd, run, new Uint8Array());
}

/** Sends a signal to everything that the run has started. */
export function signalFrame(run: number, signal: number): Buffer {
  return frame(requestTypes.signal, run, Uint8Array.of(signal));
}

export function killFrame(run: number): Buffer {
  return frame(requestTypes.kill, run, new Uint8Array());
}

function frame(type: number, run: number, payload: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(headerBytes + payload.length);
  bytes.writeUInt32BE(payload.length, 0);
  bytes.writeUInt8(type, 4);
  bytes.writeUInt32BE(run, 5);
  bytes.set(payload, headerBytes);
  return bytes;
}

function stringsOf(strings: readonly string[]): Buffer {
  const count = Buffer.alloc(2);
  count.writeUInt16BE(strings.length);
  return Buffer.concat([count, ...strings.map((text) => Buffer.from(`${text}\0`))]);
}

/**
 * Parses what the runner sends. Output is passed on as it comes, however it is split. Everything else has only a few
 * bytes. `push` throws for an invalid frame: then the other side is not our runner.
 */
export function createReplyParser(onReply: (reply: RunnerReply) => void): { push(bytes: Uint8Array): void } {
  const header = Buffer.alloc(headerBytes);
  const answer = Buffer.alloc(maxAnswer);
  let headerFilled = 0;
  let answerFilled = 0;
  let left = 0;

  const isOutput = (): boolean => header[4] === replyTypes.stdout || header[4] === replyTypes.stderr;
  const begin = (): void => {
    left = header.readUInt32BE(0);
    answerFilled = 0;
    if (left > (isOutput() ? maxOutput : maxAnswer)) throw new Error('a frame of the runner is too long');
    if (left === 0 && !isOutput()) finish();
  };
  const finish = (): void => onReply(replyOf(header, answer.subarray(0, answerFilled)));

  return {
    push(bytes) {
      let at = 0;
      while (at < bytes.length) {
        if (headerFilled < headerBytes) {
          const count = Math.min(headerBytes - headerFilled, bytes.length - at);
          header.set(bytes.subarray(at, at + count), headerFilled);
          headerFilled += count;
          at += count;
          if (headerFilled < headerBytes) return;
          begin();
        } else {
          const piece = bytes.subarray(at, at + Math.min(left, bytes.length - at));
          at += piece.length;
          left -= piece.length;
          if (isOutput()) {
            const type = header[4] === replyTypes.stdout ? ('stdout' as const) : ('stderr' as const);
            onReply({ type, run: header.readUInt32BE(5), bytes: piece });
          } else {
            answer.set(piece, answerFilled);
            answerFilled += piece.length;
            if (left === 0) finish();
          }
        }
        if (left === 0 && headerFilled === headerBytes) headerFilled = 0;
      }
    },
  };
}

function replyOf(header: Buffer, payload: Buffer): RunnerReply {
  const run = header.readUInt32BE(5);
  const type = header[4];
  if (type === replyTypes.hello && payload.length === 1) return { type: 'hello', version: payload.readUInt8(0) };
  if (type === replyTypes.taken && payload.length === 4) return { type: 'taken', run, bytes: payload.readUInt32BE(0) };
  if (type === replyTypes.ended && payload.length === 26) return { type: 'ended', run, end: endOf(payload) };
  throw new Error(`the runner sent a frame of type ${type} with ${payload.length} bytes`);
}

function endOf(payload: Buffer): RunnerEnd {
  const failed = (['nothing', 'folder', 'exec', 'system'] as const)[payload.readUInt8(4)];
  if (failed === undefined) throw new Error('the runner named an unknown stage');
  return {
    exitCode: payload.readUInt32BE(0),
    failed,
    systemError: payload.readUInt32BE(5),
    hasRunOutOfMemory: payload.readUInt8(9) === 1,
    stdoutBytes: Number(payload.readBigUInt64BE(10)),
    stderrBytes: Number(payload.readBigUInt64BE(18)),
  };
}
