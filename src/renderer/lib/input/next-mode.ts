/** The choices of a mode that are shown, the latest last. */
const choices: (() => void)[] = [];

/** A choice is there for the action that goes from one mode to the next; answers how to take it away. */
export function onNextMode(next: () => void): () => void {
  choices.push(next);
  return () => void choices.splice(choices.indexOf(next), 1);
}

/** Goes to the next mode in the field that is shown. */
export function goToNextMode(): void {
  choices.at(-1)?.();
}
