import assert from 'node:assert/strict';
import { test } from 'node:test';
import { render, renderLine } from '../src/render.js';

test('several on one line', () => {
  assert.equal(
    renderLine('~~a b~~ ~~c~~ *d* `e` ~~f~~'),
    '<del>a b</del> <del>c</del> <em>d</em> <code>e</code> <del>f</del>',
  );
});

test('tildes without a partner are text', () => {
  assert.equal(renderLine('about ~20 or ~30'), 'about ~20 or ~30');
  assert.equal(renderLine('~~open'), '~~open');
});

test('contents are escaped', () => {
  assert.equal(renderLine('~~<b>~~'), '<del>&lt;b&gt;</del>');
});

test('inside code tildes are text', () => {
  assert.equal(renderLine('`~~x~~`'), '<code>~~x~~</code>');
});

test('the rest is as before', () => {
  assert.equal(renderLine('*a* * `'), '<em>a</em> * `');
  assert.equal(render('*a*\n\n~~b~~'), '<p><em>a</em></p>\n<p><del>b</del></p>');
});
