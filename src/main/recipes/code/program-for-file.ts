const programs: Readonly<Record<string, string>> = { py: 'python3', js: 'node', mjs: 'node', cjs: 'node', sh: 'bash' };

/** The program that runs a file in the sandbox, by its extension; null: it cannot be run there. */
export function programOf(path: string): string | null {
  return programs[path.split('.').pop() ?? ''] ?? null;
}
