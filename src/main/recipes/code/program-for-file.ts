const programs: Readonly<Record<string, string>> = { py: 'python3', js: 'node', mjs: 'node', cjs: 'node', sh: 'bash' };

/** What a file is run with in the sandbox, by its ending; null: it is no program that could be run there. */
export function programOf(path: string): string | null {
  return programs[path.split('.').pop() ?? ''] ?? null;
}
