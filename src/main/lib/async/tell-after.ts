/** The same work, and `tell` once it has ended in any way: a part of it may be done when it fails. */
export function tellAfter<Given extends readonly unknown[], Result>(
  work: (...given: Given) => Promise<Result>,
  tell: () => void,
): (...given: Given) => Promise<Result> {
  return async (...given) => {
    try {
      return await work(...given);
    } finally {
      tell();
    }
  };
}
