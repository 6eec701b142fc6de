/** How the engine, the program around it and the system say that there is no memory left. */
const words =
  /bad_alloc|out of memory|insufficient memory|failed to allocate|unable to allocate|cannot allocate|could not allocate|allocation failed|not enough (v?ram|memory)|too large for the available v?ram|mem_buffer != NULL|heap limit|\bENOMEM\b/i;

/** The lines that say so; empty where none does. */
export function outOfMemoryLines(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => words.test(line));
}
