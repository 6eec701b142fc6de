'use strict';
const assert = require('node:assert/strict');
const { test } = require('node:test');
const { settingsFor } = require('./settings.js');

test('a user overrides a nested default', () => {
  const settings = settingsFor({ settings: { editor: { font: { size: 15 } } } });
  assert.deepEqual(settings.editor.font, { family: 'monospace', size: 15 });
});

test('one user does not change the settings of the next', () => {
  settingsFor({ settings: { theme: 'dark', editor: { tabSize: 8 } } });
  const settings = settingsFor({});
  assert.equal(settings.theme, 'light');
  assert.equal(settings.editor.tabSize, 2);
});
