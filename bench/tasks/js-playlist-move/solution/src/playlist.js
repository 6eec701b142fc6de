/** Songs in their order and the one that is playing. A song may be in the list more than once. */
export class Playlist {
  #songs;
  #position = 0;

  constructor(songs = []) {
    this.#songs = [...songs];
  }

  /** A copy of the list. */
  get songs() {
    return [...this.#songs];
  }

  /** The song that is playing; undefined when the list is empty. */
  get current() {
    return this.#songs[this.#position];
  }

  add(song) {
    this.#songs.push(song);
  }

  play(position) {
    this.#check(position);
    this.#position = position;
    return this.current;
  }

  /** Goes to the next song, after the last one to the first. */
  next() {
    return this.#step(1);
  }

  /** Goes to the previous song, before the first one to the last. */
  previous() {
    return this.#step(-1);
  }

  /** Takes a song out and returns it. When it was playing, the one after it plays. */
  remove(position) {
    this.#check(position);
    const [song] = this.#songs.splice(position, 1);
    if (position < this.#position) this.#position -= 1;
    if (this.#position === this.#songs.length) this.#position = 0;
    return song;
  }

  /** Puts the song at `from` to the position `to`; what is playing keeps playing. */
  move(from, to) {
    this.#check(from);
    this.#check(to);
    const [song] = this.#songs.splice(from, 1);
    this.#songs.splice(to, 0, song);
    if (from === this.#position) this.#position = to;
    else if (from < this.#position && to >= this.#position) this.#position -= 1;
    else if (from > this.#position && to <= this.#position) this.#position += 1;
  }

  #step(by) {
    const count = this.#songs.length;
    if (count > 0) this.#position = (this.#position + by + count) % count;
    return this.current;
  }

  /** Throws before anything is changed. */
  #check(position) {
    if (!Number.isInteger(position) || position < 0 || position >= this.#songs.length) {
      throw new RangeError(`There is no song at position ${position}.`);
    }
  }
}
