import type { Span } from '../code/code-spans.ts';
import { childrenOf } from '../code/code-spans.ts';
import type { CodeLanguage, Syntax, SyntaxNode } from '../code/code-syntax.ts';
import type { RecipeContext } from '../define.ts';
import { shellQuote } from '../../lib/programs/shell-quote.ts';
import type { Chunk } from '../context/rank-project-chunks.ts';
import { runInCopy } from '../trial/run-in-copy.ts';

/** "total([1, 2]) gives 2, it must be 3": a call with plain values, and the wanted result. */
export interface TaskExample {
  readonly span: Span;
  /** As it is written in the text. */
  readonly call: string;
  /** Values that the text says are wanted, or that follow such a word, the likeliest first. */
  readonly values: readonly string[];
}

const limitSeconds = 20;
const unreachable =
  /\b(?:Import|ModuleNotFound|Syntax|Name)Error\b|ERR_MODULE_NOT_FOUND|is not a function|is not defined/;
/** How many characters after a call its wanted result is looked for. */
const reach = 260;
const wanted = /(?:must|should|shall|has to|have to|instead of|expect\w*|want\w*|rather than)\b[^.;!?"'`\d[{]*$/i;
const value =
  /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|-?\b\d+(?:\.\d+)?\b|\b(?:None|True|False|null|undefined|true|false)\b|\[[^\]\n]*\]/g;

/** Calls of the project's own functions in a text, each with the values that follow it. */
export function examplesIn(task: string, syntax: Syntax, chunks: readonly Chunk[]): readonly TaskExample[] {
  const spans = chunks.flatMap(({ span }) => (span?.kind === 'function' && span.container === null ? [span] : []));
  return spans.flatMap((span) => {
    const calls = [...task.matchAll(new RegExp(`\\b${span.shortName}\\((?:[^()\\n]|\\([^()\\n]*\\))*\\)`, 'g'))];
    return calls.flatMap((match): TaskExample[] => {
      const [call] = match;
      if (!isPlainCall(syntax, span.language, call)) return [];
      const after = task.slice(match.index + call.length, match.index + call.length + reach);
      const values = [...after.matchAll(value)]
        .filter((one) => wanted.test(after.slice(0, one.index)))
        .map(([text]) => text)
        .filter((text) => syntax.errorLine(span.language, `x = ${text}\n`) === null);
      return values.length === 0 ? [] : [{ span, call, values: [...new Set(values)] }];
    });
  });
}

/** Whether a call has only plain values. Only such a call may be run as written in a text. */
function isPlainCall(syntax: Syntax, language: CodeLanguage, call: string): boolean {
  if (syntax.errorLine(language, call) !== null) return false;
  return syntax.withTree(language, call, (root) => {
    const node = root.namedChild(0)?.namedChild(0) ?? null;
    const given = node?.childForFieldName('arguments') ?? null;
    return given !== null && childrenOf(given).length > 0 && childrenOf(given).every(isPlain);
  });
}

const plain =
  /^(string|string_start|string_content|string_end|string_fragment|escape_sequence|integer|float|number|true|false|none|null|undefined|list|array|tuple|dictionary|object|pair|property_identifier|unary_operator|unary_expression|keyword_argument)$/;

function isPlain(node: SyntaxNode): boolean {
  if (node.type === 'keyword_argument') return childrenOf(node).slice(1).every(isPlain);
  return plain.test(node.type) && childrenOf(node).every(isPlain);
}

/**
 * A command that fails now and passes once the call gives the wanted result. Null: the text has no such example. The
 * present result of the call is never taken as wanted.
 */
export async function exampleCheck(
  context: RecipeContext,
  syntax: Syntax,
  chunks: readonly Chunk[],
): Promise<string | null> {
  for (const example of examplesIn(context.task, syntax, chunks).slice(0, 3)) {
    for (const text of example.values.slice(0, 3)) {
      const command = commandOf(example, text);
      const ran = await runInCopy(context, [], { command, label: `run ${example.call}`, limitSeconds });
      if (ran?.exitCode === 1 && !unreachable.test(ran.stderr)) return command;
    }
  }
  return null;
}

function commandOf({ span, call }: TaskExample, text: string): string {
  const said = JSON.stringify(`${call} must be ${text}, and is `);
  if (span.language === 'python') {
    const module = span.path.replace(/\.py$/, '').replaceAll('/', '.');
    return `python3 -c ${shellQuote(`from ${module} import ${span.shortName}\ngot = ${call}\nassert got == ${text}, ${said} + repr(got)\n`)}`;
  }
  const script = [
    `import assert from 'node:assert/strict';`,
    `const all = await import(process.cwd() + ${JSON.stringify(`/${span.path}`)});`,
    `const ${span.shortName} = all.${span.shortName} ?? all.default?.${span.shortName};`,
    `const got = ${call};`,
    `assert.deepEqual(got, ${text}, ${said} + JSON.stringify(got));`,
  ].join('\n');
  return `node --input-type=module -e ${shellQuote(script)}`;
}
