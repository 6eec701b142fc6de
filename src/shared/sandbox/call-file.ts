/** Where sessions write their calls of tools as they end, below their workspace. No model and no command can read it. */
export const callFolder = '.dewpoint/tool-calls';

export function callFile(sessionId: string): string {
  return `${callFolder}/${sessionId}.jsonl`;
}
