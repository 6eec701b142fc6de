import type { Span } from '../../code/code-spans.ts';
import type { MissingName } from '../../facts/missing-names.ts';

/** A method or function that must change according to an error; `__init__` of a class without one means the class. */
export interface MissingMember {
  readonly className: string | null;
  readonly method: string;
}

/**
 * Functions that get an argument they do not take, and classes whose objects lack an attribute that is read. (A method
 * that is called is new code: an insertion.) `uses`: the tests, and the code that may call it.
 */
export function findMissingMembers(missing: readonly MissingName[], uses: string): readonly MissingMember[] {
  return missing.flatMap(({ kind, name, className }): MissingMember[] => {
    if (kind === 'parameter') return [{ className, method: name }];
    const isRead = kind === 'attribute' && className !== null && !new RegExp(`\\.${name}\\(`).test(uses);
    return isRead ? [{ className, method: '__init__' }] : [];
  });
}

/** `siblings`: all spans of the same file. */
export function isMissingMember(span: Span, siblings: readonly Span[], missing: readonly MissingMember[]): boolean {
  return missing.some(({ className, method }) => {
    if (span.kind !== 'class') return span.shortName === method && span.container === className;
    const has = siblings.some((one) => one.container === span.shortName && one.shortName === method);
    return span.shortName === className && method === '__init__' && !has;
  });
}
