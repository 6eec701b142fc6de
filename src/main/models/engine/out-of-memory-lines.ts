/** Messages of the engine, its server and the system about lack of memory. */
const words =
  /bad_alloc|out of memory|insufficient memory|failed to allocate|unable to allocate|cannot allocate|could not allocate|allocation failed|not enough (v?ram|memory)|too large for the available v?ram|mem_buffer != NULL|heap limit|\bENOMEM\b/i;

/** The lines about lack of memory. Empty if there are none. */
export function outOfMemoryLines(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => words.test(line));
}
