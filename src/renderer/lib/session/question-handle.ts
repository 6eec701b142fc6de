/** A question that waits for a person, so that it can be given the focus from elsewhere. Null while there is none. */
export interface QuestionHandle {
  readonly focus: () => void;
}
