/** A row of a sparse matrix: places of its entries with their values. */
export interface SparseRow {
  readonly at: Int32Array;
  readonly value: Float32Array;
}

/**
 * The weights that fit the targets best in squares, with a penalty, by conjugate gradients. `width`: number of columns.
 */
export function fitRidge(
  rows: readonly SparseRow[],
  targets: readonly number[],
  { width, penalty, rounds = 40 }: { readonly width: number; readonly penalty: number; readonly rounds?: number },
): Float64Array {
  const weights = new Float64Array(width);
  const residual = new Float64Array(width);
  for (const [index, row] of rows.entries()) addScaled(residual, row, targets[index] ?? 0);
  const direction = Float64Array.from(residual);
  let size = dot(residual, residual);
  for (let round = 0; round < rounds && size > 1e-10; round += 1) {
    const image = new Float64Array(width);
    for (const row of rows) addScaled(image, row, dotSparse(row, direction));
    for (let at = 0; at < width; at += 1) image[at] = (image[at] ?? 0) + penalty * (direction[at] ?? 0);
    const step = size / dot(direction, image);
    for (let at = 0; at < width; at += 1) {
      weights[at] = (weights[at] ?? 0) + step * (direction[at] ?? 0);
      residual[at] = (residual[at] ?? 0) - step * (image[at] ?? 0);
    }
    const next = dot(residual, residual);
    for (let at = 0; at < width; at += 1) direction[at] = (residual[at] ?? 0) + (next / size) * (direction[at] ?? 0);
    size = next;
  }
  return weights;
}

export function dotSparse({ at, value }: SparseRow, weights: Float64Array): number {
  let sum = 0;
  for (let index = 0; index < at.length; index += 1) sum += (value[index] ?? 0) * (weights[at[index] ?? 0] ?? 0);
  return sum;
}

function addScaled(sum: Float64Array, { at, value }: SparseRow, factor: number): void {
  for (let index = 0; index < at.length; index += 1) {
    const place = at[index] ?? 0;
    sum[place] = (sum[place] ?? 0) + (value[index] ?? 0) * factor;
  }
}

function dot(left: Float64Array, right: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < left.length; at += 1) sum += (left[at] ?? 0) * (right[at] ?? 0);
  return sum;
}
