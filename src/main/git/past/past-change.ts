/** What a commit changed since its first parent. */
export interface PastChange {
  readonly id: string;
  readonly parent: string;
  readonly message: string;
  /** Added, changed or deleted. */
  readonly paths: readonly string[];
}

export interface PastChanges {
  /** Latest first. */
  readonly commits: readonly PastChange[];
  /** There are older ones that were not looked at. */
  readonly isCut: boolean;
  readonly isShallow: boolean;
}
