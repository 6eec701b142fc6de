import { withoutEscapes } from '@shared/text/seen-text.ts';
import type { ExecResult } from '../../sandbox/sandbox.ts';
import { killedText } from './killed-text.ts';
import type { ToolResult } from '../define.ts';

/** Both output streams of a command in the order in which they were printed. Null if there was more than is kept. */
export interface OrderedOutput {
  readonly add: (stream: 'stdout' | 'stderr', bytes: Uint8Array) => void;
  readonly text: () => string | null;
}

const mostOrdered = 64 * 1024;

export function orderedOutput(): OrderedOutput {
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  let text = '';
  let bytes = 0;
  return {
    add(stream, chunk) {
      bytes += chunk.length;
      if (bytes <= mostOrdered) text += decoders[stream].decode(chunk, { stream: true });
    },
    text: () => (bytes > mostOrdered ? null : text),
  };
}

/**
 * How a command ended and what it printed, for a model. The ending comes first, because the output may be long.
 * `ordered`: both streams in the order in which they were printed, if known.
 */
export function describeExec(result: ExecResult, extra = '', ordered: string | null = null): ToolResult {
  const { stdoutBytes, stderrBytes } = result;
  const hasBoth = stdoutBytes > 0 && stderrBytes > 0;
  const printed =
    hasBoth && ordered !== null
      ? [plainOutput(ordered, stdoutBytes + stderrBytes).trimEnd()]
      : [plainOutput(result.stdout, stdoutBytes).trimEnd(), stderrPart(result)];
  const text = [headline(result) + extra, ...printed].filter((part) => part !== '').join('\n');
  return { status: statusOf(result), output: text, exitCode: result.exitCode };
}

function headline(result: ExecResult): string {
  switch (result.outcome) {
    case 'exited':
      return `exit code ${result.exitCode}${signalText(result.exitCode)}${durationText(result.durationMs)}`;
    case 'timed-out':
      return `killed: still running after ${Math.round(result.durationMs / 1000)} s`;
    case 'cancelled':
      return `cancelled${durationText(result.durationMs, 'after')}`;
    case 'killed':
      return `killed (exit code ${result.exitCode ?? 'none'})${durationText(result.durationMs, 'after')} ${killedText(result)}`;
    case 'lost':
      return 'nobody knows how this ended: the sandbox was lost while it ran';
    default:
      return result.outcome satisfies never;
  }
}

/** Of a command that took no time to speak of, nothing is said. */
const durationText = (milliseconds: number, word = 'in'): string =>
  milliseconds < 100 ? '' : ` ${word} ${(milliseconds / 1000).toFixed(1)} s`;

/** A shell ends with 128 and the number of the signal that ended its command. */
const signals: Readonly<Record<number, string>> = {
  129: 'SIGHUP',
  130: 'SIGINT',
  131: 'SIGQUIT',
  132: 'SIGILL',
  134: 'SIGABRT',
  135: 'SIGBUS',
  136: 'SIGFPE',
  137: 'SIGKILL',
  139: 'SIGSEGV',
  141: 'SIGPIPE',
  143: 'SIGTERM',
};

function signalText(exitCode: number | null): string {
  const name = exitCode === null ? undefined : signals[exitCode];
  return name === undefined ? '' : ` (${name})`;
}

function stderrPart(result: ExecResult): string {
  const text = plainOutput(result.stderr, result.stderrBytes).trimEnd();
  return text === '' ? '' : `stderr:\n${text}`;
}

function statusOf(result: ExecResult): ToolResult['status'] {
  if (result.outcome === 'timed-out') return 'timed-out';
  if (result.outcome === 'cancelled') return 'cancelled';
  if (result.outcome === 'lost') return 'unknown';
  return result.outcome === 'exited' ? 'ok' : 'error';
}

/** A text with a larger share of characters that cannot be read counts as binary. */
const mostUnreadable = 0.1;
/** A shorter text is shown as it is. */
const leastBinary = 32;

// oxlint-disable-next-line no-control-regex -- these are what cannot be read
const unreadable = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffd]/gu;

/**
 * What a command printed, as a terminal shows it: without colors, with plain ends of lines, and only the last state of a
 * line that was written over. Binary bytes are named, not shown.
 */
function plainOutput(text: string, bytes: number): string {
  const plain = withoutEscapes(text).split('\n').map(lastState).join('\n');
  const count = plain.match(unreadable)?.length ?? 0;
  if (plain.length >= leastBinary && count > plain.length * mostUnreadable)
    return `[binary, ${bytes.toLocaleString('en')} bytes, not shown: print it with xxd, or save it to a file]`;
  return count === 0 ? plain : plain.replace(unreadable, '\u{fffd}');
}

/** What a line shows after it was written over from its begin. */
function lastState(line: string): string {
  let end = line.length;
  while (line[end - 1] === '\r') end -= 1;
  return line.slice(line.lastIndexOf('\r', end - 1) + 1, end);
}
