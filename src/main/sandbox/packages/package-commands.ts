export type PackageEcosystem = 'python' | 'javascript';

const managers: readonly (readonly [PackageEcosystem, RegExp])[] = [
  ['python', /(?:^|[\s;&|(`'"/])(?:pip[\d.]*|uv|poetry|pipenv|pdm)(?=[\s'"]|$)/],
  ['javascript', /(?:^|[\s;&|(`'"/])(?:npm|pnpm|yarn)(?=[\s'"]|$)/],
];

/**
 * The package managers that a command names, judged by its words. A name inside a quoted text counts, too, which only
 * costs a copy of the packages. A script that installs packages without naming the manager in the command is missed.
 */
export function packagesNamedIn(command: string): readonly PackageEcosystem[] {
  return managers.flatMap(([ecosystem, words]) => (words.test(command) ? [ecosystem] : []));
}
