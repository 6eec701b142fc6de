import { posix } from 'node:path';
import { z } from 'zod';
import { notebookToolName } from '@shared/tools/canvas.ts';
import { withoutEscapes } from '@shared/text/seen-text.ts';
import { encodeLike, wholeText, type WholeText } from '../../lib/files/file-text.ts';
import { readImageFacts } from '../../lib/files/image-facts.ts';
import { notebookOutput, notebookOutputText, notebookPicture } from '../../lib/files/notebook-output.ts';
import { sha256Of } from '../../lib/sha256.ts';
import { killedText } from '../commands/killed-text.ts';
import { runCells, type CellRun, type CellsRun } from '../commands/run-cells.ts';
import { defineTool, forLarge, forPerson, type ResultPicture, type ToolContext, type ToolResult } from '../define.ts';
import { readNotebook, withOutputs, type NotebookCell, type ReadNotebook } from '../edits/notebook-outputs.ts';
import { lineNumber, workspacePath } from '../values/tool-path-input.ts';
import { errorResult, failureResult } from '../values/tool-results.ts';

/** A larger file could not be undone: the log keeps no larger version of one. */
const mostFileBytes = 8 * 1024 * 1024;

export default defineTool({
  name: notebookToolName,
  description: 'Run the cells of a notebook in the sandbox, without a network. Its outputs are written into it.',
  access: 'execute',
  needs: 'notebooks',
  input: z.object({
    path: workspacePath.meta(forPerson('a notebook of the project, relative to its folder')),
    to: lineNumber.optional().describe('the last cell to run; default: all cells'),
    timeoutSeconds: z.number().min(1).max(3600).optional().describe('default: 120').meta(forLarge),
  }),
  label: ({ path, to }) => `run ${path}${to === undefined ? '' : ` up to cell ${to}`}`,
  create:
    () =>
    async ({ path, to, timeoutSeconds }, context) => {
      const read = await context.sandbox.files.read(path, { maxBytes: mostFileBytes }, context.signal);
      if (!read.ok) return failureResult(read.error);
      const file = wholeText(read.value.bytes);
      const notebook = file === null ? null : readNotebook(file.text);
      if (file === null || notebook === null)
        return errorResult(`${path} is not a notebook that can be run. Nothing was run.`);
      const cells = cellsToRun(notebook, to);
      if (typeof cells === 'string') return errorResult(`${path} ${cells} Nothing was run.`);
      const timeoutMs = timeoutSeconds === undefined ? context.facts.commandTimeoutMs : timeoutSeconds * 1000;
      const { kernel, isPython } = notebook;
      const ran = await runCells(
        {
          cells,
          kernel,
          isPython,
          folder: posix.dirname(path),
          timeoutMs,
          sandbox: context.sandbox,
          onPrinted: (text) => context.emit('stdout', Buffer.from(text)),
        },
        context.signal,
      );
      if (!ran.ok) return failureResult(ran.error);
      if (ran.value.by === null) return notRun(path, notebook, ran.value);
      if (ran.value.exec?.outcome === 'cancelled' && ran.value.end !== 'too-much')
        return { status: 'cancelled', output: `It was cancelled. ${path} keeps the outputs that it had.` };
      const written = await writeOutputs({ path, file, sha256: read.value.sha256, ran: ran.value }, context);
      return resultOf({ path, notebook, cells, ran: ran.value, timeoutMs }, written);
    },
});

/** Or why there are none, to go on the path. */
function cellsToRun({ cells }: ReadNotebook, to: number | undefined): readonly NotebookCell[] | string {
  if (to !== undefined && to > cells.length) return `has ${cells.length} cells; there is no cell ${to}.`;
  const code = cells.filter(({ isCode, number, source }) => isCode && number <= (to ?? number) && source.trim() !== '');
  return code.length === 0 ? 'has no code to run there.' : code;
}

function notRun(path: string, { kernel, language }: ReadNotebook, { end, exec }: CellsRun): ToolResult {
  if (end === 'no-kernel')
    return errorResult(
      `${path} is a notebook of ${language}, with the kernel "${kernel}". The sandbox has no such kernel, so nothing was run. Only Python runs without one.`,
    );
  const stderr = exec?.stderr.trim() ?? '';
  if (exec?.exitCode === 127) return errorResult('There is no Python in the image of the sandbox. Nothing was run.');
  return errorResult(`Nothing was run: Python did not start.${stderr === '' ? '' : `\n${stderr.slice(-2_000)}`}`);
}

interface Written {
  /** For the model, where something was not written. */
  readonly note: string | null;
}

/** Written as a command writes: what the person changed meanwhile is kept, and a guarded file is put back afterwards. */
async function writeOutputs(
  {
    path,
    file,
    sha256,
    ran,
  }: { readonly path: string; readonly file: WholeText; readonly sha256: string; readonly ran: CellsRun },
  { sandbox, files, signal }: ToolContext,
): Promise<Written> {
  if (ran.cells.length === 0) return { note: `${path} keeps the outputs that it had.` };
  // A file in an older encoding has no other letters than those that are in it, so those of outputs become escapes.
  const encoded = encodeLike(file, withOutputs(file.text, ran.cells, file.encoding !== 'UTF-8'));
  if (!encoded.ok) return { note: `The outputs were not written: ${encoded.why}. ${path} is as it was.` };
  const { bytes } = encoded;
  if (bytes.length > mostFileBytes)
    return { note: `The outputs were not written: ${path} would be larger than 8 MB. It is as it was.` };
  const written = await sandbox.files.write(path, bytes, sha256, signal);
  if (written.ok) {
    if (files.lastRead(path) === sha256) files.noteRead(path, sha256Of(bytes));
    return { note: null };
  }
  const now = await sandbox.files.stat(path, signal);
  const isGone = !now.ok && now.error.code === 'not-found';
  const why = isGone ? 'was deleted while it ran' : 'was changed while it ran, and that version is kept';
  return { note: `${path} ${why}. The outputs were not written; they are only here.` };
}

interface Ran {
  readonly path: string;
  readonly notebook: ReadNotebook;
  readonly cells: readonly NotebookCell[];
  readonly ran: CellsRun;
  readonly timeoutMs: number;
}

function resultOf(run: Ran, { note }: Written): ToolResult {
  const { path, notebook, cells, ran } = run;
  const failed = ran.cells.find(
    ({ isFailed, number }) => isFailed && cells.some((cell) => cell.number === number && !cell.mayFail),
  );
  const isLate = ran.exec?.outcome === 'timed-out' || ran.cells.some(({ isStopped }) => isStopped);
  const isWhole = ran.end === 'done' && failed === undefined && !isLate;
  const by =
    ran.by?.isJupyter === true ? `the kernel ${ran.by.kernel}` : `${ran.by?.kernel ?? 'Python'}, without Jupyter`;
  const about = [
    `Ran ${ran.cells.length} of ${cells.length} code cells of ${path} with ${by}.`,
    ...(isWhole ? [] : [whyEnded(run, failed)]),
    ...(note === null ? [] : [note]),
  ];
  const shown = ran.cells.map((cell) => cellText(cell, notebook.cells.length)).filter((text) => text !== '');
  const { pictures, drawings } = picturesOf(ran.cells);
  return {
    status: isWhole ? 'ok' : isLate ? 'timed-out' : ran.exec?.outcome === 'lost' ? 'unknown' : 'error',
    output: [about.join(' '), ...shown].join('\n\n'),
    ...(pictures.length === 0 ? {} : { pictures }),
    ...(drawings.length === 0 ? {} : { data: { drawings } }),
  };
}

function whyEnded({ cells, ran, timeoutMs }: Ran, failed: CellRun | undefined): string {
  const rest = cells.filter(({ number }) => !ran.cells.some((cell) => cell.number === number) && number !== ran.open);
  const left = rest.length === 0 ? '' : ` ${rest.length} after it did not run and keep their outputs.`;
  const stopped = ran.cells.find(({ isStopped }) => isStopped);
  if (stopped !== undefined)
    return `Cell ${stopped.number} was stopped after ${Math.round(timeoutMs / 1000)} s.${left}`;
  if (failed !== undefined) return `Cell ${failed.number} failed.${left}`;
  const where = ran.open === null ? 'The run' : `Cell ${ran.open}`;
  if (ran.end === 'too-much') return `${where} sent more than 16 MB, and was ended.${left}`;
  const { outcome = 'lost', exitCode = null } = ran.exec ?? {};
  if (outcome === 'timed-out') return `${where} was killed after ${Math.round(timeoutMs / 1000)} s.${left}`;
  if (outcome === 'killed') return `${where} was killed ${killedText(ran.exec ?? {})}.${left}`;
  if (outcome === 'lost') return `${where}: its end is unknown, because the sandbox was lost.${left}`;
  return `${where} ended Python with code ${exitCode ?? 'unknown'}.${left}`;
}

function cellText({ number, outputs }: CellRun, of: number): string {
  const texts = outputs.flatMap((output) => {
    const read = notebookOutput.safeParse(output).data;
    const text = read === undefined ? '' : withoutEscapes(notebookOutputText(read, true));
    return text === '' ? [] : [text];
  });
  return texts.length === 0 ? '' : [`[Output of cell ${number} of ${of}]`, ...texts].join('\n');
}

const mostPictures = 12;
/** What is kept as data has a limit, and counts as none beyond it. */
const mostDrawnCharacters = 600_000;

interface Drawing {
  readonly name: string;
  readonly svg: string;
}

/** The pictures that models may see, and the drawings, which only people see. Further ones are in the notebook. */
function picturesOf(cells: readonly CellRun[]): {
  readonly pictures: readonly ResultPicture[];
  readonly drawings: readonly Drawing[];
} {
  const pictures: ResultPicture[] = [];
  const drawings: Drawing[] = [];
  let drawn = 0;
  for (const { number, outputs } of cells)
    for (const output of outputs)
      for (const [type, value] of Object.entries(notebookOutput.safeParse(output).data?.data ?? {})) {
        const bytes = type.startsWith('image/') ? notebookPicture(type, value) : null;
        if (bytes === null || pictures.length + drawings.length >= mostPictures) continue;
        const facts = readImageFacts(bytes);
        if (facts !== null) pictures.push({ bytes, ...facts });
        else if (type === 'image/svg+xml' && drawn + bytes.length <= mostDrawnCharacters) {
          drawn += bytes.length;
          drawings.push({ name: `cell ${number}.svg`, svg: Buffer.from(bytes).toString('utf8') });
        }
      }
  return { pictures, drawings };
}
