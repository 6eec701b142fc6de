/** The mode choices on the page, latest last. */
const choices: (() => void)[] = [];

/** Registers a mode choice for the action that goes to the next mode. Returns a function that removes it. */
export function onNextMode(next: () => void): () => void {
  choices.push(next);
  return () => void choices.splice(choices.indexOf(next), 1);
}

/** Goes to the next mode in the visible field. */
export function goToNextMode(): void {
  choices.at(-1)?.();
}
