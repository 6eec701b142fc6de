/** Lets other parts of the page focus the open question. Null while there is none. */
export interface QuestionHandle {
  readonly focus: () => void;
}
