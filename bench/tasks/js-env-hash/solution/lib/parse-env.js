'use strict';

const LINE = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=(.*)$/;

/**
 * Parses the text of a .env file into an object of texts. Lines that set
 * nothing are skipped. A comment begins with "#" at the start of a line or
 * after white space. A value in single or double quotes is taken as it is,
 * with every "#" and space in it; other values lose the white space around them.
 */
function parseEnv(text) {
  const values = {};
  for (const line of text.split(/\r?\n/)) {
    const match = LINE.exec(line);
    if (match === null) continue;
    values[match[1]] = valueOf(match[2]);
  }
  return values;
}

function valueOf(text) {
  const quoted = /^\s*(["'])(.*?)\1\s*(?:#.*)?$/.exec(text);
  return quoted === null ? text.replace(/\s#.*$/, '').trim() : quoted[2];
}

module.exports = { parseEnv };
