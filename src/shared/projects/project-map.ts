/** The most important names that a project defines, by file and line, in as many tokens as were asked for. */
export interface ProjectMap {
  /** Empty: the project has no names that can be found. */
  readonly text: string;
  /** What the text shows. */
  readonly files: number;
  readonly definitions: number;
  /** What the whole project has, of the files that were taken in. */
  readonly all: { readonly files: number; readonly definitions: number };
  /** The project has more files than are taken in. */
  readonly isCut: boolean;
}
