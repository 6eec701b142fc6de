import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Playlist } from '../src/playlist.js';

const SONGS = ['a', 'b', 'c', 'd', 'e'];

test('keeps playing whatever is moved wherever', () => {
  for (let playing = 0; playing < 5; playing += 1) {
    for (let from = 0; from < 5; from += 1) {
      for (let to = 0; to < 5; to += 1) {
        const list = new Playlist(SONGS);
        list.play(playing);
        list.move(from, to);
        const about = `playing ${playing}, from ${from} to ${to}`;
        assert.equal(list.songs[to], SONGS[from], about);
        assert.deepEqual(
          list.songs.filter((song) => song !== SONGS[from]),
          SONGS.filter((song) => song !== SONGS[from]),
          about,
        );
        assert.equal(list.current, SONGS[playing], about);
      }
    }
  }
});

test('goes on from the new place', () => {
  const list = new Playlist(SONGS);
  list.play(1);
  list.move(1, 3);
  assert.equal(list.next(), 'e');
  list.move(0, 4);
  assert.equal(list.current, 'e');
  assert.equal(list.previous(), 'b');
});

test('knows which of two equal songs is playing', () => {
  const list = new Playlist(['x', 'a', 'x', 'b']);
  list.play(2);
  list.move(3, 1);
  assert.deepEqual(list.songs, ['x', 'b', 'a', 'x']);
  assert.equal(list.next(), 'x');
  assert.equal(list.next(), 'b');
});

test('refuses positions that do not exist and changes nothing then', () => {
  const list = new Playlist(SONGS);
  list.play(2);
  for (const [from, to] of [[0, 5], [5, 0], [-1, 0], [0, -1], [1, 1.5], [undefined, 0], [1, undefined]]) {
    assert.throws(() => list.move(from, to), RangeError, `from ${from} to ${to}`);
    assert.deepEqual(list.songs, SONGS);
    assert.equal(list.current, 'c');
  }
});
