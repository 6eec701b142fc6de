import program from '../../../resources/programs/sandbox/terminal.py?raw';
import { shellQuote } from '../lib/programs/shell-quote.ts';
import type { CodeToRun, TerminalSize } from '@shared/sandbox/sandbox-view.ts';

/** The command for `open`. In an image without Python, it says so on the terminal and ends with 127. */
export function shellCommand({ columns, rows }: TerminalSize): string {
  const start = `exec python3 -c "$program" ${rows} ${columns}`;
  const missing = `printf 'A terminal needs python3 in the image of the sandbox.\\r\\n'; exit 127`;
  return `program=${shellQuote(program)}; if command -v python3 >/dev/null 2>&1; then ${start}; else ${missing}; fi`;
}

const interpreters = { shell: 'bash -c', python: 'python3 -u -c', javascript: 'node' } as const;

/** The command for `open` that runs code once. Its errors go to the same output. */
export function codeCommand({ language, code }: CodeToRun): string {
  const isModule = language === 'javascript' && /^[ \t]*(?:import|export)\b/mu.test(code);
  const how = language === 'javascript' ? `${isModule ? ' --input-type=module' : ''} -e` : '';
  return `exec ${interpreters[language]}${how} ${shellQuote(code)} 2>&1 </dev/null`;
}

/** The most bytes that are typed at once. */
const maxFrameBytes = 65_536;

export function typedFrames(text: string): Uint8Array {
  const bytes = Buffer.from(text, 'utf8');
  const frames: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += maxFrameBytes)
    frames.push(frame('d', bytes.subarray(at, at + maxFrameBytes)));
  return Buffer.concat(frames);
}

export function resizedFrame({ columns, rows }: TerminalSize): Uint8Array {
  const body = Buffer.alloc(4);
  body.writeUInt16BE(rows, 0);
  body.writeUInt16BE(columns, 2);
  return frame('r', body);
}

function frame(kind: 'd' | 'r', body: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.write(kind, 0, 'latin1');
  head.writeUInt32BE(body.length, 1);
  return Buffer.concat([head, body]);
}
