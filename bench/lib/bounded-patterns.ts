/** A pattern whose cost may grow with a text, and why its texts are short. */
export interface BoundedPattern {
  readonly file: string;
  /** As it stands in the sources. */
  readonly written: string;
  readonly why: string;
}

export const boundedPatterns: readonly BoundedPattern[] = [
  {
    file: 'src/main/agent/recipes/words/example.ts',
    written:
      /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|-?\b\d+(?:\.\d+)?\b|\b(?:None|True|False|null|undefined|true|false)\b|\[[^\]\n]*\]/g.toString(),
    why: 'reads the 260 characters after a call',
  },
];
