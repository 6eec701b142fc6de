'use strict';

const MAX_LENGTH = 2_000;

/** Removes control characters and white space at the ends; cuts what is too long. */
function cleanText(text) {
  // eslint-disable-next-line no-control-regex
  const printable = String(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '');
  return printable.trim().slice(0, MAX_LENGTH);
}

module.exports = { cleanText };
