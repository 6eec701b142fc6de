/** The element of a step's row, so that its dot can lead there. */
export function rowId(callId: string): string {
  return `step-${callId}`;
}
