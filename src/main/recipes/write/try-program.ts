import { programOf } from '../code/program-for-file.ts';
import type { RecipeContext } from '../define.ts';
import type { FileText } from '../trial/candidate-change.ts';
import { shellQuote } from '../../lib/programs/shell-quote.ts';
import { runInCopy } from '../trial/run-in-copy.ts';

/** How a program did that was run once in a copy, without input. */
export type Trial =
  | { readonly type: 'ran'; readonly output: string }
  /** It fell over its own code: `error` is the line that says so. */
  | { readonly type: 'crashed'; readonly error: string }
  /** It cannot be run, wants what is not there (input, a package, a file), or does not end by itself. */
  | { readonly type: 'unknown' };

/** What a program falls over by itself; a missing file, package or answer is not its fault. */
const ownFault =
  /^(?:Uncaught )?((?:Name|Type|Attribute|Syntax|Indentation|Tab|UnboundLocal|Reference|Range|Key|Index|ZeroDivision)Error\b.*)$/gmu;

export async function tryProgram(context: RecipeContext, file: FileText): Promise<Trial> {
  const program = programOf(file.path);
  if (program === null) return { type: 'unknown' };
  const command = `${program} ${shellQuote(file.path)}`;
  const ran = await runInCopy(context, [file], { command, label: `try ${file.path}`, limitSeconds: 10 });
  if (ran?.exitCode === 0) return { type: 'ran', output: ran.stdout.trim() };
  const error = [...(ran?.stderr ?? '').matchAll(ownFault)].pop()?.[1];
  return error === undefined ? { type: 'unknown' } : { type: 'crashed', error };
}
