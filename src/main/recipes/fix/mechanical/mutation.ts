import type { SyntaxNode } from '../../code/code-syntax.ts';

/** One small textual change, by offsets into the file. */
export interface Mutation {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly line: number;
  /** Lower is tried first: how often such a slip is the bug. */
  readonly rank: number;
  readonly what: string;
}

/** Where a mutation applies: a node, or a stretch that begins at one. */
export type Place = Pick<SyntaxNode, 'startIndex' | 'endIndex' | 'startPosition' | 'text'>;

export function makeMutation(place: Place, text: string, rank: number): Mutation {
  const short = (one: string) => one.replaceAll(/\s+/g, ' ').trim().slice(0, 48);
  const line = place.startPosition.row + 1;
  const what = `${short(place.text)} to ${short(text)}`;
  return { start: place.startIndex, end: place.endIndex, text, line, rank, what };
}

/** Names that are taken for each other. */
export type NamePairs = readonly (readonly [string, string])[];

/** What a name may have been taken for. */
export const partners = (pairs: NamePairs, name: string): readonly string[] =>
  pairs.filter((pair) => pair.includes(name)).map(([one, other]) => (name === one ? other : one));

/** The forms with the node's text for `§`, in the order of their likelihood. */
export const everyForm = (node: SyntaxNode, forms: readonly string[], rank: number): Mutation[] =>
  forms.map((form, index) => makeMutation(node, form.replaceAll('§', node.text), rank + index * 0.2));

export const isSimple = (node: SyntaxNode): boolean =>
  /^(identifier|attribute|member_expression|subscript|subscript_expression|call|call_expression)$/.test(node.type) &&
  node.text.length < 60;

/** `text.strip()` alone does nothing: its result is to be kept. */
export function droppedResult(node: SyntaxNode): Mutation[] {
  const call = node.namedChild(0);
  const object = call?.childForFieldName('function')?.childForFieldName('object') ?? null;
  if (call === null || !call.type.startsWith('call') || object === null || !/^[\w.]+$/.test(object.text)) return [];
  return [makeMutation(call, `${object.text} = ${call.text}`, 5)];
}
