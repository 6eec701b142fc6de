'use strict';

/**
 * Breaks text into lines of at most `width` characters, at spaces.
 * A word that is longer than the width gets a line of its own and is not cut.
 * Runs of white space count as one space.
 */
function wrap(text, width) {
  const lines = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (word === '') continue;
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  if (line !== '') lines.push(line);
  return lines;
}

/** Puts `left` and `right` at the two ends of a line. */
function spread(left, right, width) {
  const gap = Math.max(1, width - left.length - right.length);
  return left + ' '.repeat(gap) + right;
}

module.exports = { spread, wrap };
