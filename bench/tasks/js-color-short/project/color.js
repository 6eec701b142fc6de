'use strict';

const LONG = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i;

/** Parses a color such as "#ff8800" into {red, green, blue}, 0 to 255 each, or returns null. */
function parseColor(text) {
  const match = LONG.exec(text.trim());
  if (match === null) return null;
  const [red, green, blue] = match.slice(1).map((digits) => Number.parseInt(digits, 16));
  return { red, green, blue };
}

/** Writes a color in the long form, in lower case. */
function formatColor({ red, green, blue }) {
  return `#${[red, green, blue].map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

/** Whether dark text is easier to read on this color than light text. */
function isLight({ red, green, blue }) {
  return (red * 299 + green * 587 + blue * 114) / 1000 >= 128;
}

module.exports = { formatColor, isLight, parseColor };
