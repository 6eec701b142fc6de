import assert from 'node:assert/strict';
import { test } from 'node:test';
import { render, renderLine } from '../src/render.js';

test('emphasis and code', () => {
  assert.equal(renderLine('a *b* and `c < d`'), 'a <em>b</em> and <code>c &lt; d</code>');
});

test('strike through', () => {
  assert.equal(renderLine('now ~~20~~ 15 euro'), 'now <del>20</del> 15 euro');
});

test('paragraphs', () => {
  assert.equal(render('one\n\ntwo'), '<p>one</p>\n<p>two</p>');
});
