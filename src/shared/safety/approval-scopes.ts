import type { ApprovalScope } from './network-access.ts';

/** What decides how long a yes may hold. */
export interface LastingQuestion {
  readonly hosts?: readonly string[] | undefined;
  readonly isOnce?: boolean | undefined;
  /** What a lasting yes to a tool covers, as a hash. */
  readonly grant?: string | undefined;
}

const onlyOnce: readonly ApprovalScope[] = ['once'];
const forHosts: readonly ApprovalScope[] = ['once', 'session', 'project'];
const forTools: readonly ApprovalScope[] = ['once', 'session', 'always'];

/** How long a yes to this question can hold, shortest first. Every host offers these and no others. */
export function scopesOf({ hosts, isOnce, grant }: LastingQuestion): readonly ApprovalScope[] {
  if (isOnce === true) return onlyOnce;
  if (hosts !== undefined) return forHosts;
  return grant === undefined ? onlyOnce : forTools;
}

/** The scope that a typed word names, by itself or by its first letter; null: none that this question has. */
export function scopeNamed(word: string, question: LastingQuestion): ApprovalScope | null {
  if (word === 'y' || word === 'yes') return 'once';
  const scopes = scopesOf(question);
  if (scopes.length === 1 && question.hosts === undefined) return null;
  return scopes.find((scope) => word === scope || word === scope.slice(0, 1)) ?? null;
}
