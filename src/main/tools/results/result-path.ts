const prefix = 'result:';

/** The path by which `read_file` and `search` read the whole result of a call that was shown cut. */
export function resultPath(toolCallId: string): string {
  return `${prefix}${toolCallId}`;
}

/** The id of the call that a path names; null for a file. */
export function resultIdOf(path: string): string | null {
  return path.startsWith(prefix) ? path.slice(prefix.length) : null;
}
