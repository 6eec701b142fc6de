/** Frames as the container's runner sends them. Made by hand, so that they do not repeat a mistake of the parser. */
export function replyFrame(type: number, run: number, payload: Uint8Array): Buffer {
  const frame = Buffer.alloc(9 + payload.length);
  frame.writeUInt32BE(payload.length, 0);
  frame.writeUInt8(type, 4);
  frame.writeUInt32BE(run, 5);
  frame.set(payload, 9);
  return frame;
}

/** `type` 2 is standard output, 3 standard error. */
export function outputReply(type: 2 | 3, run: number, text: string): Buffer {
  return replyFrame(type, run, Buffer.from(text));
}

export interface FakeEnd {
  readonly exitCode: number;
  /** What failed. 0: nothing, 1: the folder, 2: the exec, 3: the system. */
  readonly failed?: number;
  readonly hasRunOutOfMemory?: boolean;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
}

export function endedReply(run: number, end: FakeEnd): Buffer {
  const payload = Buffer.alloc(26);
  payload.writeUInt32BE(end.exitCode, 0);
  payload.writeUInt8(end.failed ?? 0, 4);
  payload.writeUInt8(end.hasRunOutOfMemory === true ? 1 : 0, 9);
  payload.writeBigUInt64BE(BigInt(end.stdoutBytes), 10);
  payload.writeBigUInt64BE(BigInt(end.stderrBytes), 18);
  return replyFrame(4, run, payload);
}

/** Output of process 1 as the engine passes it on. 1 is its standard output, 2 its standard error. */
export function throughEngine(number: 1 | 2, bytes: Uint8Array): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt8(number, 0);
  header.writeUInt32BE(bytes.length, 4);
  return Buffer.concat([header, bytes]);
}
