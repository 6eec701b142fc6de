/** The text that replaces an image for a model that cannot see images. */
export function unseenImage(name: string | undefined): string {
  return `(There was an image here${name === undefined ? '' : ` (${name})`}, which this model cannot see.)`;
}
