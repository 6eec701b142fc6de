import { execFile } from 'node:child_process';
import { chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A container that plays a person's machine: their files at the same path as on the host, no network, no root. */
export interface PersonMachine {
  /** The first line that a program prints, such as `git --version`. */
  firstLine(command: string): Promise<string>;
  /** Runs scripts of this kind, several at once, each in its own terminal. Their output is in `KIND/ID.log`. */
  runAll(kind: string, scripts: ReadonlyMap<string, string>): Promise<void>;
  close(): Promise<void>;
}

export interface MachineOptions {
  readonly image: string;
  readonly user: { readonly uid: number; readonly gid: number };
  /** Host folders that are available at their own path. */
  readonly folders: readonly string[];
  /** The folder for scripts and their output. One of `folders`. */
  readonly scripts: string;
}

const atOnce = 3;
/** For one row on one side. */
const rowSeconds = 60;
const allMs = 1_200_000;

export async function startMachine({ image, user, folders, scripts }: MachineOptions): Promise<PersonMachine> {
  const held = [
    '--pids-limit',
    '2000',
    '--cap-drop',
    'ALL',
    '--security-opt',
    'no-new-privileges',
    '--network',
    'none',
  ];
  // The image's Git settings serve the sandbox and are not a person's settings.
  const empty = ['--volume', '/dev/null:/etc/gitconfig:ro'];
  const memory = ['/home/person', '/tmp'].flatMap((path) => ['--tmpfs', `${path}:mode=1777,exec`]);
  const shared = folders.flatMap((path) => ['--volume', `${path}:${path}`]);
  const owner = ['--user', `${user.uid}:${user.gid}`];
  // If the test is killed before it closes the container, the container ends after an hour at most.
  const program = ['--rm', '--entrypoint', '/bin/sleep', image, '3600'];
  const { stdout } = await run('docker', [
    'run',
    '--detach',
    ...owner,
    ...held,
    ...empty,
    ...memory,
    ...shared,
    ...program,
  ]);
  const id = stdout.trim();
  const execute = (command: string) =>
    run('docker', ['exec', id, 'bash', '-c', command], { timeout: allMs, maxBuffer: 16 * 1024 * 1024 });
  return {
    firstLine: async (command) => (await execute(`${command} 2>&1 | head -1`)).stdout.trim(),
    runAll: async (kind, all) => {
      const folder = join(scripts, kind);
      await mkdir(folder, { recursive: true });
      await chown(folder, user.uid, user.gid);
      for (const [name, text] of all) await writeFile(join(folder, `${name}.sh`), text);
      // Programs that a row leaves running must not block anything: output goes to a file, and time is limited.
      const one = `timeout -k 1 ${rowSeconds} script -qec "bash '${folder}/{}.sh'" /dev/null </dev/null >'${folder}/{}.log' 2>&1; true`;
      await writeFile(join(folder, 'names'), [...all.keys()].join('\n'));
      await execute(`xargs -P ${atOnce} -I{} bash -c ${quoted(one)} <'${folder}/names'`);
    },
    close: async () => void (await run('docker', ['kill', id])),
  };
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
