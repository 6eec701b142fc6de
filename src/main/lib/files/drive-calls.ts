import * as calls from 'node:fs/promises';
import { askDrive } from './served-drives.ts';

/**
 * Calls of the file system on a path that a person or a project names. They do what Node's calls do, and reject with
 * `timeout` if the path lies on a drive that another machine serves and that is silent. Work of many calls on one folder
 * goes through `askDrive` as a whole instead.
 */
function asking<Call extends (path: string, ...rest: never[]) => Promise<unknown>>(call: Call): Call {
  const asked = (path: string, ...rest: never[]): Promise<unknown> => askDrive(path, () => call(path, ...rest));
  // An edge: Node declares its calls with one signature for each option.
  return asked as Call;
}

export const access = asking(calls.access);
export const lstat = asking(calls.lstat);
export const readFile = asking(calls.readFile);
export const realpath = asking(calls.realpath);
export const stat = asking(calls.stat);
export const writeFile = asking(calls.writeFile);
