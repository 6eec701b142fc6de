import assert from 'node:assert/strict';
import { test } from 'node:test';
import { column } from '../src/columns.js';
import { renderTable } from '../src/table.js';

const lines = (columns, rows) => renderTable(columns, rows).split('\n');

test('a right column before a left one', () => {
  assert.deepEqual(lines([{ key: 'n', align: 'right' }, { key: 'name' }], [{ n: 7, name: 'a' }, { n: 1000, name: 'bc' }]), [
    '   n  name',
    '----  ----',
    '   7  a',
    '1000  bc',
  ]);
});

test('a title that is wider than its cells', () => {
  assert.deepEqual(lines([{ key: 'n', title: 'Amount', align: 'right' }], [{ n: 5 }]), ['Amount', '------', '     5']);
});

test('no line ends in spaces', () => {
  const columns = [{ key: 'a' }, { key: 'b', align: 'right' }];
  assert.deepEqual(lines(columns, [{ a: 'x' }, { b: 12 }, {}]), ['a   b', '-  --', 'x', '   12', '']);
});

test('left is the default', () => {
  const rows = [{ a: 'x', b: 1 }, { a: 'yyy', b: 22 }];
  const plain = renderTable([{ key: 'a' }, { key: 'b' }], rows);
  assert.equal(renderTable([{ key: 'a', align: 'left' }, { key: 'b', align: undefined }], rows), plain);
  assert.equal(plain, 'a    b\n---  --\nx    1\nyyy  22');
});

test('two right columns', () => {
  const columns = ['a', 'b'].map((key) => ({ key, align: 'right' }));
  assert.deepEqual(lines(columns, [{ a: 1, b: 22 }, { a: 333, b: 4 }]), ['  a   b', '---  --', '  1  22', '333   4']);
});

for (const align of ['center', 'Right', 'constructor']) {
  test(`refuses ${JSON.stringify(align)}`, () => {
    assert.throws(() => column({ key: 'a', align }), RangeError);
    assert.throws(() => renderTable([{ key: 'a', align }], []), RangeError);
  });
}
