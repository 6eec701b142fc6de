/**
 * The program that a command could not begin without, by what the shell says. Null: it began. No change of the project
 * brings a program into the sandbox.
 */
export function missingProgram(exitCode: number | null, output: string): string | null {
  if (exitCode !== 127) return null;
  return /(?:^|: )([\w.+-]{1,80}): (?:command )?not found$/mu.exec(output)?.[1] ?? null;
}

export const noProgramText = (command: string, program: string): string =>
  `${command} cannot run, because \`${program}\` is not in the container.`;

/** For a person: how the program comes into the sandbox. */
export const missingProgramHint =
  'Add the language of the project with `dewpoint sandbox image use DIR`, its packages with `dewpoint projects prepare`, or bring an image that has it with `dewpoint sandbox image pull NAME`.';

/** What the result of a task says of its tests. */
export const testsDidNotRun = 'the tests cannot run here';
