import { shellQuote } from '../lib/programs/shell-quote.ts';
import type { CodeToRun, TerminalSize } from '@shared/sandbox/sandbox-view.ts';

/**
 * A program that opens a shell on a terminal inside a sandbox. A sandbox gives its processes only pipes, so this
 * small program makes the terminal inside, and all that it starts is under the sandbox's control. Its input comes in
 * frames: one byte for the type (`d` typed, `r` resized), four bytes of length, then the bytes. Everything ends with
 * its input.
 */
const program = `
import os, sys, pty, select, struct, fcntl, termios, signal
rows, columns = int(sys.argv[1]), int(sys.argv[2])
shell = '/bin/bash' if os.path.exists('/bin/bash') else '/bin/sh'
pid, fd = pty.fork()
if pid == 0:
    os.environ['TERM'] = 'xterm-256color'
    os.execv(shell, [shell, '-i'])
def size(rows, columns):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))
def put(target, data):
    while data:
        data = data[os.write(target, data):]
size(rows, columns)
held = b''
over = False
while True:
    ready, _, _ = select.select([fd] if over else [fd, 0], [], [])
    if fd in ready:
        try:
            data = os.read(fd, 65536)
        except OSError:
            data = b''
        if not data:
            break
        put(1, data)
    if 0 in ready:
        data = os.read(0, 65536)
        if not data:
            over = True
            os.kill(pid, signal.SIGHUP)
            continue
        held += data
        while len(held) >= 5:
            count = struct.unpack('>I', held[1:5])[0]
            if len(held) < 5 + count:
                break
            kind, body, held = held[:1], held[5:5 + count], held[5 + count:]
            if kind == b'd':
                put(fd, body)
            elif kind == b'r':
                size(*struct.unpack('>HH', body))
_, status = os.waitpid(pid, 0)
sys.exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))
`;

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
