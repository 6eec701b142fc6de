const PATTERN = /\*([^*]+)\*|`([^`]+)`/g;

/**
 * Splits a line into tokens: {type: 'text' | 'emphasis' | 'code', text}.
 * Marks without a partner are text.
 */
export function tokenize(line) {
  const tokens = [];
  let position = 0;
  for (const match of line.matchAll(PATTERN)) {
    if (match.index > position) {
      tokens.push({ type: 'text', text: line.slice(position, match.index) });
    }
    const [, emphasis, code] = match;
    if (emphasis !== undefined) tokens.push({ type: 'emphasis', text: emphasis });
    else tokens.push({ type: 'code', text: code });
    position = match.index + match[0].length;
  }
  if (position < line.length) tokens.push({ type: 'text', text: line.slice(position) });
  return tokens;
}
