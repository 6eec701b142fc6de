import { readdir, readFile } from 'node:fs/promises';

/** The unit of `/proc/PID/stat`: Linux counts in hundredths of a second. */
const tickMs = 10;

interface Row {
  readonly id: number;
  readonly parent: number;
  readonly ms: number;
}

/** The processor time in ms that all descendants of this process have used so far. Linux only: it rejects elsewhere. */
export async function processorMs(): Promise<number> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const rows = (await Promise.all(names.map(read))).flatMap((row) => (row === null ? [] : [row]));
  const below = new Set([process.pid]);
  // A parent may come after its child in the list, so this repeats until no process is added.
  for (let before = 0; before !== below.size;) {
    before = below.size;
    for (const { id, parent } of rows) if (below.has(parent)) below.add(id);
  }
  return rows.reduce((sum, { id, ms }) => (id !== process.pid && below.has(id) ? sum + ms : sum), 0);
}

/** Null: the process has ended meanwhile. */
async function read(name: string): Promise<Row | null> {
  const text = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => null);
  if (text === null) return null;
  // The program's name, in brackets, may contain any character.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [parent, user, system] = [fields[1], fields[11], fields[12]].map(Number);
  if (parent === undefined || user === undefined || system === undefined) return null;
  return { id: Number(name), parent, ms: (user + system) * tickMs };
}
