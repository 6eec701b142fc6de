import { childrenOf, type Span } from './spans.ts';
import { walk, type Syntax, type SyntaxNode } from './syntax.ts';

/** A statement inside a span, or the header of a compound one: whole lines that can be replaced alone. */
export interface Statement {
  readonly startLine: number;
  readonly endLine: number;
  readonly indent: string;
  readonly text: string;
  /** The header of a loop, condition or function: what follows belongs to it. */
  readonly header: boolean;
}

const bodyTypes = /^(block|statement_block|class_body|switch_body|module|program)$/;

/** Statements of a span in order; a signature and a docstring are none. */
export function findStatements(syntax: Syntax, text: string, span: Span): readonly Statement[] {
  const lines = text.split('\n');
  return syntax.withTree(span.language, text, (root) => {
    const found = new Map<number, Statement>();
    for (const node of walk(root)) {
      if (!bodyTypes.test(node.type)) continue;
      for (const child of childrenOf(node)) {
        const statement = statementOf(child, lines);
        const inside = statement.startLine >= span.startLine && statement.endLine <= span.endLine;
        const isHead =
          span.kind !== 'block' && statement.startLine <= span.headEndLine && statement.startLine !== span.endLine;
        if (child.type !== 'comment' && inside && !isHead && !found.has(statement.startLine))
          found.set(statement.startLine, statement);
      }
    }
    return [...found.values()].sort((left, right) => left.startLine - right.startLine);
  });
}

function statementOf(node: SyntaxNode, lines: readonly string[]): Statement {
  const startRow = node.startPosition.row;
  const body = firstBody(node);
  const header = body !== null && body.endPosition.row > startRow;
  const endRow = header ? headerEnd(body, startRow, lines) : node.endPosition.row;
  return {
    startLine: startRow + 1,
    endLine: endRow + 1,
    indent: /^\s*/.exec(lines[startRow] ?? '')?.[0] ?? '',
    text: lines.slice(startRow, endRow + 1).join('\n'),
    header,
  };
}

function firstBody(node: SyntaxNode): SyntaxNode | null {
  for (const child of walk(node)) if (child !== node && bodyTypes.test(child.type)) return child;
  return null;
}

/** The row of `{` in JavaScript, the row before the first statement in Python. */
function headerEnd(body: SyntaxNode, startRow: number, lines: readonly string[]): number {
  if (body.type !== 'block') return body.startPosition.row;
  let row = body.startPosition.row - 1;
  while (row > startRow && /^\s*(#.*)?$/.test(lines[row] ?? '')) row -= 1;
  return Math.max(row, startRow);
}
