import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Playlist } from '../src/playlist.js';

test('plays one song after the other', () => {
  const list = new Playlist(['Amber', 'Birch']);
  assert.equal(list.current, 'Amber');
  assert.equal(list.next(), 'Birch');
  assert.equal(list.next(), 'Amber');
  assert.equal(list.previous(), 'Birch');
});

test('keeps playing when an earlier song is removed', () => {
  const list = new Playlist(['Amber', 'Birch', 'Coral']);
  list.play(2);
  assert.equal(list.remove(0), 'Amber');
  assert.equal(list.current, 'Coral');
  assert.throws(() => list.remove(2), RangeError);
});

test('moves a song to the end', () => {
  const list = new Playlist(['Amber', 'Birch', 'Coral', 'Dune']);
  list.move(1, 3);
  assert.deepEqual(list.songs, ['Amber', 'Coral', 'Dune', 'Birch']);
  assert.equal(list.current, 'Amber');
});

test('keeps playing when a song is moved', () => {
  const list = new Playlist(['Amber', 'Birch', 'Coral', 'Dune']);
  list.play(2);
  list.move(3, 0);
  assert.deepEqual(list.songs, ['Dune', 'Amber', 'Birch', 'Coral']);
  assert.equal(list.current, 'Coral');
});
