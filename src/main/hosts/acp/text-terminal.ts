import { safeWriting, type Terminal } from '../text/terminal.ts';

/** A terminal without a screen: collects what the command line would print, as text without colors. */
export function createTextTerminal(): { readonly terminal: Terminal; readonly take: () => string } {
  let text = '';
  const keep = (more: string): void => void (text += more);
  return {
    terminal: { ...safeWriting({ out: keep, err: keep }, false), isLive: false, isInteractive: false, columns: 100 },
    take: () => {
      const said = text;
      text = '';
      return said;
    },
  };
}
