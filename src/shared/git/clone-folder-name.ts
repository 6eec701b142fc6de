const device = /^(?:con|prn|aux|nul|(?:com|lpt)[0-9¹²³])[ ]*(?:\.|$)/iu;

/** What Windows takes for a device, with any ending. */
export const isDeviceName = (name: string): boolean => device.test(name);

/**
 * The name of the folder that git would choose for a clone, from the address of the repository or the path in it. Null:
 * it names none that every system can have.
 */
export function cloneFolderName(address: string): string | null {
  const last =
    address
      .replace(/\/$/u, '')
      .split(/[/\\:]/u)
      .at(-1) ?? '';
  const name = decoded(last.replace(/\.git$/u, ''));
  const isPlain = /^[\p{L}\p{N}_][\p{L}\p{N}_. -]{0,99}$/u.test(name) && !/[. ]$/u.test(name) && !isDeviceName(name);
  return isPlain ? name : null;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not a valid encoding, so it is taken as it stands, and refused as a name.
    return text;
  }
}
