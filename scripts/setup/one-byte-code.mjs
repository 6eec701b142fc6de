/**
 * A plugin of the bundler that writes every character beyond Latin-1 as an escape. The engine keeps a source that has
 * one such character with two bytes for each of its characters, for as long as the program runs: 4 MB more for the core.
 * @returns {import('vite').Plugin}
 */
export function oneByteCode() {
  return {
    name: 'one-byte-code',
    // Last of all: whoever prints the code after this would write the characters again.
    generateBundle(_, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type === 'chunk') chunk.code = oneByteText(chunk.code, (code) => this.parse(code));
      }
    },
  };
}

/**
 * A program with the same meaning, in Latin-1 as far as its names and its templates with tags allow.
 * @param {string} code
 * @param {(code: string) => unknown} parse to a tree of ESTree nodes
 */
export function oneByteText(code, parse) {
  if (!/[\u0100-\uFFFF]/.test(code)) return code;
  let at = 0;
  let result = '';
  for (const { start, end, escape } of [...partsApart(parse(code)), { start: code.length, end: code.length }]) {
    // The short form of a property is a name twice, in one place.
    if (start < at) continue;
    // Half of a pair is escaped like any other: both halves together mean the same in strings, templates and patterns.
    result += withEscapes(code.slice(at, start), escapeOf);
    result += escape === undefined ? code.slice(start, end) : withEscapes(code.slice(start, end), escape);
    at = end;
  }
  return result;
}

/** @param {string} text @param {(unit: string) => string} escape */
function withEscapes(text, escape) {
  return text.replaceAll(/[\u0100-\uFFFF]/g, escape);
}

/** @param {string} unit */
function escapeOf(unit) {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** @typedef {{start: number, end: number, escape?: (unit: string) => string}} Part without `escape`, it stays as it is */

/**
 * Names, in which a pair has another escape, and templates with a tag, which sees their source: `String.raw` gets each
 * character as a value.
 * @param {unknown} tree
 * @returns {Part[]} from the first to the last
 */
function partsApart(tree) {
  /** @type {Part[]} */
  const found = [];
  /** @param {any} node */
  const visit = (node) => {
    if (typeof node !== 'object' || node === null) return;
    if (node.type === 'Identifier') found.push({ start: node.start, end: node.end });
    if (node.type === 'TaggedTemplateExpression') {
      const isRaw = node.tag.object?.name === 'String' && node.tag.property?.name === 'raw';
      const more = isRaw ? { escape: (/** @type {string} */ unit) => `\${"${escapeOf(unit)}"}` } : {};
      for (const { start, end } of node.quasi.quasis) found.push({ start, end, ...more });
    }
    for (const value of Object.values(node)) visit(value);
  };
  visit(tree);
  return found.sort((left, right) => left.start - right.start);
}
