import { relativeTo, withShortLines, type TestFailure } from './test-report.ts';

/** What compilers and interpreters print for an error: the place, then the text; or the text, then the place. */
const places: readonly RegExp[] = [
  // gcc, clang, javac, kotlinc: `src/a.c:3:43: error: …`, `A.java:4: error: …`
  /^(?<path>[^\s:][^:\n\r]*\.\w+):(?<line>\d+)(?::\d+)?: (?:fatal )?error: (?<text>.+)$/gmu,
  // Go: `./a.go:3:23: undefined: x`
  /^(?:vet: )?(?<path>[^\s:][^:\n\r]*\.go):(?<line>\d+):\d+: (?<text>.+)$/gmu,
  // rustc: `error[E0425]: …` and ` --> src/lib.rs:7:9`
  /^error(?:\[E\d+\])?: (?<text>[^\n\r]+)\n[ \t]*--> (?<path>[^\s:]+):(?<line>\d+):\d+$/gmu,
  // Maven: `[ERROR] /project/A.java:[4,52] …`
  /^\[ERROR\] (?<path>[^\s:][^:\n\r]*\.\w+):\[(?<line>\d+),\d+\] (?<text>.+)$/gmu,
  // MSBuild: `/project/A.cs(4,52): error CS0103: …`
  /^[ \t]*(?<path>[^\s(][^(\n\r]*\.\w+)\((?<line>\d+),\d+\): error (?<text>[^\n\r[]+)/gmu,
  // Ruby: `/project/a.rb:1: syntax error, …`
  /^[ \t]*(?<path>[^\s:][^:\n\r]*\.rb):(?<line>\d+): (?<text>syntax error.*)$/gmu,
  // PHP: `PHP Parse error:  syntax error, … in /project/a.php on line 3`
  /^(?:PHP )?(?:Parse|Fatal) error:(?<text>.+) in (?<path>\S+\.php)(?: on line |:)(?<line>\d+)$/gmu,
];

const maxFailures = 50;

/** Files that could not be compiled or loaded, each once, with the place and the text of its first error. */
export function compileFailures(output: string, roots: readonly string[]): readonly TestFailure[] {
  const found = new Map<string, TestFailure>();
  const text = withShortLines(output);
  for (const pattern of places) {
    for (const match of text.matchAll(pattern)) {
      const { path: said = '', line = '', text: message = '' } = match.groups ?? {};
      const path = relativeTo(roots, said);
      if (path === null || found.has(path) || found.size >= maxFailures) continue;
      const at = Number(line);
      const frames = [{ path, line: at, name: null }];
      found.set(path, { id: path, path, line: at, errorName: 'CompileError', message: message.trim(), frames });
    }
  }
  return [...found.values()];
}
