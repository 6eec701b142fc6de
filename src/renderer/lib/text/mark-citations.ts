import type { CitedPlace } from '@shared/documents/cited-part.ts';
import { citationsIn, isDocumentName, isOfEditor, placeAfter } from './cited-places.ts';

/** What this needs of the tree of a Markdown text. */
export interface TreeNode {
  type: string;
  tagName?: string;
  value?: string;
  properties?: Record<string, unknown>;
  children?: TreeNode[];
}

/** Puts each citation of a file into a `cite` with the property `place`. Blocks of code stay as they are. */
export function markCitations(): (tree: TreeNode) => void {
  return markIn;
}

function markIn(node: TreeNode): void {
  const { children } = node;
  if (children === undefined || node.tagName === 'pre') return;
  const marked: TreeNode[] = [];
  for (let index = 0; index < children.length; index += 1) {
    const child = children[index];
    if (child === undefined) continue;
    const next = children[index + 1];
    const named = child.tagName === 'code' ? namedInCode(child, next) : null;
    if (named !== null) {
      marked.push(...named.marked);
      if (named.hasNext) index += 1;
    } else if (child.type === 'text') marked.push(...markedText(child.value ?? ''));
    else {
      markIn(child);
      marked.push(child);
    }
  }
  node.children = marked;
}

interface Named {
  readonly marked: readonly TreeNode[];
  /** The text after the code is part of it. */
  readonly hasNext: boolean;
}

/** A document that code names: with its place, or with the place in the words after it. */
function namedInCode(code: TreeNode, next: TreeNode | undefined): Named | null {
  const text = textOf(code);
  const [whole] = citationsIn(text);
  if (whole?.start === 0 && whole.end === text.length)
    return { marked: [cite(whole.place, [code], isOfEditor(whole.place.path))], hasNext: false };
  const spaced = spacedName(text);
  if (spaced !== null) return { marked: [cite(spaced, [code])], hasNext: false };
  const after = next?.type === 'text' ? (next.value ?? '') : '';
  const placed = isDocumentName(text) ? placeAfter(after.slice(0, 100), text) : null;
  if (placed === null) return null;
  const words = { type: 'text', value: after.slice(0, placed.length) };
  const place = { path: text, ...placed.place };
  return { marked: [cite(place, [code, words]), ...markedText(after.slice(placed.length))], hasNext: true };
}

/** `Annual report.pdf, page 3`: in code, a name may have blanks. */
function spacedName(text: string): CitedPlace | null {
  const end = /\.(?:pdf|docx|docm|xlsx|xlsm|csv|tsv|ipynb|md|txt)(?=[^\p{L}\p{N}]|$)/iu.exec(text);
  if (end === null || text.length > 300) return null;
  const path = text.slice(0, end.index + end[0].length);
  const placed = placeAfter(text.slice(path.length), path);
  return placed !== null && path.length + placed.length === text.length ? { path, ...placed.place } : null;
}

function markedText(text: string): readonly TreeNode[] {
  const found = citationsIn(text);
  let at = 0;
  const marked: TreeNode[] = [];
  const add = (to: number): void => {
    if (to > at) marked.push({ type: 'text', value: text.slice(at, to) });
  };
  for (const { start, end, place } of found) {
    add(start);
    marked.push(cite(place, [{ type: 'text', value: text.slice(start, end) }]));
    at = end;
  }
  add(text.length);
  return marked;
}

function cite(place: CitedPlace, children: TreeNode[], isEditable = false): TreeNode {
  return { type: 'element', tagName: 'cite', properties: { place, isEditable }, children };
}

function textOf({ value = '', children = [] }: TreeNode): string {
  return value + children.map(textOf).join('');
}
