import type { Span } from '../../code/code-spans.ts';
import type { MissingName } from '../../facts/missing-names.ts';

/** A method or function that an error says outright has to change; `__init__` of a class without one is the class. */
export interface MissingMember {
  readonly className: string | null;
  readonly method: string;
}

/**
 * Who is given an argument that it does not take, and whose objects have not got what is read of them. (What is called
 * on them is new code: an insertion.) `uses`: the tests, and the code that may call it.
 */
export function findMissingMembers(missing: readonly MissingName[], uses: string): readonly MissingMember[] {
  return missing.flatMap(({ kind, name, className }): MissingMember[] => {
    if (kind === 'parameter') return [{ className, method: name }];
    const isRead = kind === 'attribute' && className !== null && !new RegExp(`\\.${name}\\(`).test(uses);
    return isRead ? [{ className, method: '__init__' }] : [];
  });
}

/** `siblings`: all spans of its file. */
export function isMissingMember(span: Span, siblings: readonly Span[], missing: readonly MissingMember[]): boolean {
  return missing.some(({ className, method }) => {
    if (span.kind !== 'class') return span.shortName === method && span.container === className;
    const has = siblings.some((one) => one.container === span.shortName && one.shortName === method);
    return span.shortName === className && method === '__init__' && !has;
  });
}
