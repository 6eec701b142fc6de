'use strict';

const DEFAULTS = {
  theme: 'light',
  editor: { tabSize: 2, rulers: [80], font: { family: 'monospace', size: 13 } },
};

function isPlainObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns a new object with everything of `base`, overridden by `changes`.
 * Objects are merged key by key, everything else (arrays too) is replaced.
 * Neither argument is changed.
 */
function merge(base, changes) {
  const merged = base;
  for (const [key, value] of Object.entries(changes)) {
    if (isPlainObject(value) && isPlainObject(merged[key])) {
      merged[key] = merge(merged[key], value);
    } else {
      merged[key] = value;
    }
  }
  return merged;
}

/** The settings of a user: the defaults with the user's own changes. */
function settingsFor(user) {
  return merge(DEFAULTS, user.settings ?? {});
}

module.exports = { DEFAULTS, merge, settingsFor };
