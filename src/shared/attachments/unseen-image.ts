/** What stands for an image in a history that is shown to a model without eyes. */
export function unseenImage(name: string | undefined): string {
  return `(There was an image here${name === undefined ? '' : ` (${name})`}, which this model cannot see.)`;
}
