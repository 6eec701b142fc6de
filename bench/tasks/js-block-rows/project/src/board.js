/** Points for the number of rows that go at once. */
const POINTS = [0, 100, 300, 500, 800];

const emptyRow = (width) => new Array(width).fill(false);
const isFull = (row) => row.every(Boolean);

/** A board is a list of rows from top to bottom, a row a list of booleans: true is a block. */
export function parseBoard(lines) {
  return lines.map((line) => [...line].map((cell) => cell === 'x'));
}

export function showBoard(board) {
  return board.map((row) => row.map((block) => (block ? 'x' : '.')).join(''));
}

/**
 * The board with the piece on it, its upper left corner at the given place.
 * null when it does not fit there.
 */
export function place(board, piece, left, top) {
  const after = board.map((row) => [...row]);
  for (const [y, line] of piece.entries()) {
    for (const [x, cell] of [...line].entries()) {
      if (cell !== 'x') continue;
      if (after[top + y]?.[left + x] !== false) return null;
      after[top + y][left + x] = true;
    }
  }
  return after;
}

/**
 * Removes all full rows, lets fall what was above them and counts the points.
 * The given board stays as it is.
 */
export function clearRows(board) {
  const rows = [...board];
  let cleared = 0;
  for (let y = rows.length - 1; y >= 0; y--) {
    if (!isFull(rows[y])) continue;
    const [full] = rows.splice(y, 1);
    rows.unshift(emptyRow(full.length));
    cleared++;
  }
  return { board: rows, cleared, points: POINTS[cleared] };
}
