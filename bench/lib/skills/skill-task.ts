/** A task that a skill is meant for. It was written before the text of the skill, and knows nothing of it. */
export interface SkillTask {
  readonly id: string;
  readonly skill: string;
  readonly prompt: string;
  /** The project by its paths. */
  readonly files: Readonly<Record<string, string>>;
  /** Makes the rest of the project in a container, such as its history. */
  readonly setUp?: string;
  readonly judge: Judge;
}

export interface Work {
  /** The words that the work ended with. */
  readonly text: string;
  /** Null: there is no such file. */
  readonly read: (path: string) => Promise<string | null>;
  /** Runs a command in a container without a network, in the project. Returns its exit code. */
  readonly run: (command: string, changed?: Readonly<Record<string, string>>) => Promise<number | null>;
}

/** Null: the task is done. Otherwise what is wrong. */
export type Judge = (work: Work) => Promise<string | null>;

/** Whether a number stands in a text, however its thousands are written, and to the second digit if it has any. */
export function namesNumber(text: string, wanted: number): boolean {
  const numbers = text.replaceAll(/(?<=\d),(?=\d{3}(?!\d))/gu, '').match(/-?\d+(?:\.\d+)?/gu) ?? [];
  return numbers.some((one) => Math.abs(Number(one) - wanted) < 0.005 + 1e-9);
}
