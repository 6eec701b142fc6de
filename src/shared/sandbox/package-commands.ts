export type PackageEcosystem = 'python' | 'javascript';

const managers: readonly (readonly [PackageEcosystem, RegExp])[] = [
  ['python', /(?:^|[\s;&|(`'"/])(?:pip[\d.]*|uv|poetry|pipenv|pdm)(?=[\s'"]|$)/],
  ['javascript', /(?:^|[\s;&|(`'"/])(?:npm|pnpm|yarn)(?=[\s'"]|$)/],
];

/**
 * Whose package managers a command names, by its words alone. A name in a quoted text counts too, which costs a copy of
 * the packages and nothing else; a script that installs without its name in the command is not seen.
 */
export function packagesNamedIn(command: string): readonly PackageEcosystem[] {
  return managers.flatMap(([ecosystem, words]) => (words.test(command) ? [ecosystem] : []));
}
