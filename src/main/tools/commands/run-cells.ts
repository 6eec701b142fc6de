import { z } from 'zod';
import runCellsProgram from '../../../../resources/programs/notebooks/run-cells.py?raw';
import type { Reply } from '@shared/errors.ts';
import { childAbort } from '../../lib/async/child-abort.ts';
import { notebookOutput } from '../../lib/files/notebook-output.ts';
import { shellQuote } from '../../lib/programs/shell-quote.ts';
import type { ExecResult, Sandbox } from '../../sandbox/sandbox.ts';
import type { CellOutputs, NotebookCell } from '../edits/notebook-outputs.ts';

export interface CellRun extends CellOutputs {
  readonly isFailed: boolean;
  readonly isStopped: boolean;
}

/** What came of a run. Cells that are not in `cells` did not run to their end. */
export interface CellsRun {
  readonly cells: readonly CellRun[];
  /** What ran them. Null: nothing did. */
  readonly by: { readonly isJupyter: boolean; readonly kernel: string } | null;
  /** The cell that began and did not end. */
  readonly open: number | null;
  readonly end: 'done' | 'no-kernel' | 'too-much' | 'ended';
  readonly exec: ExecResult | null;
}

export interface CellsAsked {
  readonly cells: readonly NotebookCell[];
  readonly kernel: string;
  readonly isPython: boolean;
  /** The folder of the notebook, in the workspace. */
  readonly folder: string;
  readonly timeoutMs: number;
  readonly sandbox: Pick<Sandbox, 'exec'>;
  /** What cells print while they run. */
  readonly onPrinted: (text: string) => void;
}

/** The program keeps far below it. A cell that writes past it ends the run. */
const mostFrameBytes = 16 * 1024 * 1024;
/** Time for the program to end by itself what takes too long, and to send what there is. */
const endMs = 5_000;

const frameSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('start'), by: z.enum(['jupyter', 'python']), kernel: z.string().max(200) }),
  z.object({ type: z.literal('began'), cell: z.number().int() }),
  z.object({ type: z.literal('said'), text: z.string() }),
  z.object({
    type: z.literal('cell'),
    cell: z.number().int(),
    count: z.number().int(),
    // What is written into the notebook is the whole output, not what is read of it.
    outputs: z.array(z.unknown().refine((value) => notebookOutput.safeParse(value).success)),
    failed: z.boolean(),
    stopped: z.boolean(),
  }),
  z.object({ type: z.literal('cannot') }),
  z.object({ type: z.literal('end') }),
]);
type Frame = z.infer<typeof frameSchema>;

interface State {
  readonly numbers: ReadonlySet<number>;
  readonly cells: Map<number, CellRun>;
  readonly onPrinted: (text: string) => void;
  by: CellsRun['by'];
  open: number | null;
  end: CellsRun['end'];
}

/** Runs cells in the sandbox, without a network. The program and the cells share a process: nothing it says is trusted. */
export async function runCells(asked: CellsAsked, signal: AbortSignal): Promise<Reply<CellsRun>> {
  const child = childAbort(signal);
  const state: State = {
    numbers: new Set(asked.cells.map(({ number }) => number)),
    cells: new Map(),
    onPrinted: asked.onPrinted,
    by: null,
    open: null,
    end: 'ended',
  };
  let bytes = 0;
  const read = lineReader((line) => take(state, line));
  const seconds = Math.max(1, Math.floor(asked.timeoutMs / 1000));
  const job = {
    seconds,
    kernel: asked.kernel,
    isPython: asked.isPython,
    cells: asked.cells.map(({ number, source, mayFail }) => ({ cell: number, source, mayFail })),
  };
  try {
    const reply = await asked.sandbox.exec(
      {
        command: `python=python3; command -v python3 >/dev/null || python=python; exec "$python" -u -c ${shellQuote(runCellsProgram)}`,
        cwd: asked.folder,
        timeoutMs: seconds * 1000 + endMs,
        stdin: Buffer.from(`${JSON.stringify(job)}\n`),
        keepBytes: 16 * 1024,
        onOutput: ({ stream, bytes: part }) => {
          if (stream === 'stderr' || state.end === 'too-much') return;
          bytes += part.length;
          if (bytes <= mostFrameBytes) return read(part);
          state.end = 'too-much';
          child.abort();
        },
      },
      child.signal,
    );
    if (!reply.ok && state.end !== 'too-much') return reply;
    const { by, open, end } = state;
    return {
      ok: true,
      value: { cells: [...state.cells.values()], by, open, end, exec: reply.ok ? reply.value : null },
    };
  } finally {
    child.release();
  }
}

function lineReader(onLine: (line: string) => void): (part: Uint8Array) => void {
  const decoder = new TextDecoder();
  // A line is joined once, so that one of many parts does not take quadratic time.
  let parts: string[] = [];
  return (bytes) => {
    const [first = '', ...rest] = decoder.decode(bytes, { stream: true }).split('\n');
    parts.push(first);
    for (const next of rest) {
      onLine(parts.join(''));
      parts = [next];
    }
  };
}

function take(state: State, line: string): void {
  const frame = frameOf(line);
  switch (frame?.type) {
    case undefined:
      return;
    case 'start':
      state.by ??= { isJupyter: frame.by === 'jupyter', kernel: frame.kernel };
      return;
    case 'began':
      if (state.numbers.has(frame.cell)) state.open = frame.cell;
      return;
    case 'said':
      state.onPrinted(frame.text);
      return;
    case 'cell': {
      const { cell, count, outputs, failed, stopped } = frame;
      if (!state.numbers.has(cell)) return;
      state.cells.set(cell, { number: cell, count, outputs, isFailed: failed, isStopped: stopped });
      state.open = null;
      return;
    }
    case 'cannot':
      state.end = 'no-kernel';
      return;
    case 'end':
      state.end = 'done';
      return;
    default:
      return frame satisfies never;
  }
}

/** Null: it is no frame. A cell may write anything. */
function frameOf(line: string): Frame | null {
  try {
    return frameSchema.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}
