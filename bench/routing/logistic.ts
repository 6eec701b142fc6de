/** Weights of a logistic line, the constant first, by Newton's method. Targets are shares from 0 to 1. */
export function fitLogistic(
  rows: readonly (readonly number[])[],
  targets: readonly number[],
  penalty = 0.01,
): readonly number[] {
  const width = (rows[0]?.length ?? 0) + 1;
  let weights: readonly number[] = Array.from({ length: width }, () => 0);
  for (let round = 0; round < 25; round += 1) {
    const slope = weights.map((weight) => -penalty * weight);
    const curve = weights.map((_, at) => weights.map((__, other) => (at === other ? penalty : 0)));
    for (const [index, row] of rows.entries()) {
      const inputs = [1, ...row];
      const chance = 1 / (1 + Math.exp(-inputs.reduce((sum, value, at) => sum + value * (weights[at] ?? 0), 0)));
      for (const [at, value] of inputs.entries()) {
        slope[at] = (slope[at] ?? 0) + value * ((targets[index] ?? 0) - chance);
        const line = curve[at] ?? [];
        for (const [other, second] of inputs.entries())
          line[other] = (line[other] ?? 0) + value * second * chance * (1 - chance);
      }
    }
    const step = solve(curve, slope);
    weights = weights.map((weight, at) => weight + (step[at] ?? 0));
    if (step.every((one) => Math.abs(one) < 1e-9)) break;
  }
  return weights;
}

/** Solves a small system of linear equations by elimination. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): readonly number[] {
  const size = right.length;
  const lines = matrix.map((line, at) => [...line, right[at] ?? 0]);
  for (let at = 0; at < size; at += 1) {
    const pivot = lines[at] ?? [];
    const lead = pivot[at] ?? 1;
    for (const [other, line] of lines.entries()) {
      if (other === at) continue;
      const factor = (line[at] ?? 0) / lead;
      for (let column = at; column <= size; column += 1)
        line[column] = (line[column] ?? 0) - factor * (pivot[column] ?? 0);
    }
  }
  return lines.map((line, at) => (line[size] ?? 0) / (line[at] ?? 1));
}
