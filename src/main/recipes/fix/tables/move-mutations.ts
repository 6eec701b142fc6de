import { childrenOf } from '../../code/code-spans.ts';
import type { SyntaxNode } from '../../code/code-syntax.ts';
import { makeMutation, type Mutation } from '../mechanical/mutation.ts';
import type { MutationContext } from './repair-templates.ts';

/** Statements in the wrong place: in a block that they belong before or behind, or outside of one that they belong in. */
export function moveMutations(failureContext: MutationContext): readonly Mutation[] {
  const blocks = failureContext.nodes.filter((node) => blockType.test(node.type));
  return blocks.flatMap((block) => [
    ...outOf(block, failureContext),
    ...intoOf(block, failureContext),
    ...endings(block, failureContext),
  ]);
}

const blockType = /^(block|statement_block)$/;
const compound = /^(if_statement|for_statement|for_in_statement|while_statement|with_statement|try_statement)$/;
const simple =
  /^(expression_statement|return_statement|lexical_declaration|raise_statement|throw_statement|assert_statement|delete_statement)$/;

/** The statement that a block belongs to, where it is one that a statement can be moved out of. */
function ownerOf(block: SyntaxNode): SyntaxNode | null {
  const parent = block.parent;
  const owner = parent !== null && /^(else_clause|elif_clause)$/.test(parent.type) ? parent.parent : parent;
  return owner !== null && compound.test(owner.type) ? owner : null;
}

const indentOf = (node: SyntaxNode): string => ' '.repeat(node.startPosition.column);

/** Its whole lines, with the line break. */
function wholeLines(node: SyntaxNode, text: string): { readonly from: number; readonly to: number } {
  const from = text.lastIndexOf('\n', node.startIndex - 1) + 1;
  const end = text.indexOf('\n', node.endIndex);
  return { from, to: end < 0 ? text.length : end + 1 };
}

function moved(node: SyntaxNode, indent: string): string {
  const own = indentOf(node);
  return node.text
    .split('\n')
    .map((line, index) =>
      index === 0 ? `${indent}${line}` : `${indent}${line.startsWith(own) ? line.slice(own.length) : line}`,
    )
    .join('\n');
}

/** The last statement of a block behind it; the first one before it. */
function outOf(block: SyntaxNode, failureContext: MutationContext): Mutation[] {
  const owner = ownerOf(block);
  const statements = childrenOf(block).filter((one) => one.type !== 'comment');
  if (owner === null || statements.length < 2) return [];
  const { text } = failureContext;
  const mutations: Mutation[] = [];
  const last = statements[statements.length - 1];
  const ownerLines = wholeLines(owner, text);
  if (last !== undefined && simple.test(last.type)) {
    const lines = wholeLines(last, text);
    const rest = text.slice(lines.to, ownerLines.to);
    mutations.push({
      start: lines.from,
      end: ownerLines.to,
      text: `${rest.endsWith('\n') || rest === '' ? rest : `${rest}\n`}${moved(last, indentOf(owner))}\n`,
      line: last.startPosition.row + 1,
      rank: 6,
      what: `${last.text.slice(0, 40)} moved behind its block`,
    });
  }
  const [first] = statements;
  if (first !== undefined && simple.test(first.type) && first.type !== 'return_statement') {
    const lines = wholeLines(first, text);
    mutations.push({
      start: ownerLines.from,
      end: lines.to,
      text: `${moved(first, indentOf(owner))}\n${text.slice(ownerLines.from, lines.from)}`,
      line: first.startPosition.row + 1,
      rank: 6,
      what: `${first.text.slice(0, 40)} moved before its block`,
    });
  }
  return mutations;
}

/** A statement that follows a block at its end; one that stands before it at its begin. */
function intoOf(block: SyntaxNode, failureContext: MutationContext): Mutation[] {
  const owner = ownerOf(block);
  const [first] = childrenOf(block);
  if (owner === null || first === undefined) return [];
  const { text } = failureContext;
  const inner = indentOf(first);
  const mutations: Mutation[] = [];
  const next = owner.nextNamedSibling;
  const blockLines = wholeLines(childrenOf(block)[childrenOf(block).length - 1] ?? block, text);
  if (next !== null && simple.test(next.type) && next.type !== 'return_statement') {
    const lines = wholeLines(next, text);
    mutations.push({
      start: blockLines.to,
      end: lines.to,
      text: `${moved(next, inner)}\n${text.slice(blockLines.to, lines.from)}`,
      line: next.startPosition.row + 1,
      rank: 7,
      what: `${next.text.slice(0, 40)} moved into the block before it`,
    });
  }
  const before = owner.previousNamedSibling;
  if (before !== null && simple.test(before.type)) {
    const lines = wholeLines(before, text);
    const firstLines = wholeLines(first, text);
    mutations.push({
      start: lines.from,
      end: firstLines.from,
      text: `${text.slice(lines.to, firstLines.from)}${moved(before, inner)}\n`,
      line: before.startPosition.row + 1,
      rank: 7,
      what: `${before.text.slice(0, 40)} moved into the block after it`,
    });
  }
  return mutations;
}

/** A block that goes on where it should end the turn, the loop or the function. */
function endings(block: SyntaxNode, failureContext: MutationContext): Mutation[] {
  const owner = ownerOf(block);
  const statements = childrenOf(block).filter((one) => one.type !== 'comment');
  const last = statements[statements.length - 1];
  if (owner?.type !== 'if_statement' || last === undefined || last.type !== 'expression_statement') return [];
  let isLoop = false;
  for (let at = owner.parent; at !== null && !/function|method|arrow|lambda/.test(at.type); at = at.parent)
    isLoop ||= /^(for_|while_)/.test(at.type);
  const semicolon = failureContext.language === 'python' ? '' : ';';
  return [...(isLoop ? ['continue', 'break'] : []), 'return'].map((word) =>
    makeMutation(last, `${last.text}\n${indentOf(last)}${word}${semicolon}`, 7),
  );
}
