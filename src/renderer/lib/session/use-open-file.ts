import { createContext, useMemo } from 'react';
import type { CoreClient } from '../connection/core-client.ts';
import { useClient } from '../connection/core-context.ts';
import { failureText } from '../connection/failure-text.ts';
import { useIsWindow } from '../connection/use-host-info.ts';
import { announce } from '../notices/announce.ts';

/** Opens a file of the open session in the user's editor. Announces a failure. */
export type OpenFile = (path: string, line?: number | null) => void;

/** Null: files cannot be opened from here, as in a browser. */
export const OpenFileContext = createContext<OpenFile | null>(null);

export function useOpenFile(sessionId: string): OpenFile | null {
  const client = useClient();
  const isWindow = useIsWindow();
  return useMemo(() => (isWindow ? openerFor(client, sessionId) : null), [client, sessionId, isWindow]);
}

function openerFor(client: CoreClient, sessionId: string): OpenFile {
  return (path, line = null) => {
    client.host
      .openFile({ sessionId, path, ...(line === null ? {} : { line }) })
      .catch((error: unknown) => announce({ kind: 'error', text: failureText(error) }));
  };
}

/** Reads a word of code as a file in a folder, or a line of a file; null for any other word. */
export function pathInCode(text: string): { readonly path: string; readonly line: number | null } | null {
  const found = /^((?:\.{0,2}\/)?(?:[\w@.+-]+\/)*[\w@.+-]*\w\.[a-z]\w{0,7})(?::(\d{1,7})(?::\d+)?)?$/iu.exec(text);
  const [, path = '', line] = found ?? [];
  // `Math.round` is no file, and neither is an address.
  if (
    path === '' ||
    (line === undefined && !path.includes('/')) ||
    /^[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev)\//iu.test(path)
  )
    return null;
  return { path: path.replace(/^\.\//u, ''), line: line === undefined ? null : Number(line) };
}
