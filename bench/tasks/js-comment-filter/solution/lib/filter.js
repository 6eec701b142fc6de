/** What we do not want in comments. */
const DEFAULT_RULES = [
  { name: 'link', pattern: /https?:\/\/\S+/gi },
  { name: 'mail address', pattern: /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g },
  { name: 'shouting', pattern: /\b[A-Z]{6,}\b/g },
];

/**
 * Makes a filter for comments. A rule is `{ name, pattern }`; the pattern is a
 * regular expression with the flag g, blogs bring rules of their own.
 */
export function createFilter(rules = DEFAULT_RULES) {
  /** The names of the rules that the comment breaks, in the order of the rules. */
  function reasons(comment) {
    return rules.filter(({ pattern }) => comment.search(pattern) !== -1).map(({ name }) => name);
  }

  /** The comments that break no rule. */
  function accepted(comments) {
    return comments.filter((comment) => reasons(comment).length === 0);
  }

  /** The comment with stars, one a character, in place of everything that a rule matches. */
  function mask(comment) {
    return rules.reduce(
      (text, { pattern }) => text.replace(pattern, (match) => '*'.repeat(match.length)),
      comment,
    );
  }

  return { reasons, accepted, mask };
}
