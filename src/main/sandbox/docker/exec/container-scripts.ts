import kill from '../../../../../resources/programs/sandbox/kill.sh?raw';
import probe from '../../../../../resources/programs/sandbox/probe.sh?raw';
import reaper from '../../../../../resources/programs/sandbox/reaper.sh?raw';
import run from '../../../../../resources/programs/sandbox/run.sh?raw';
import sweep from '../../../../../resources/programs/sandbox/sweep.sh?raw';
import { forwarderFiles } from '../../network/container-forwarder.ts';

/**
 * The shell programs that start and end processes in a container. They are POSIX sh, because the user may choose any
 * image. Their reports are untrusted data.
 */

/** The variable that marks a command and everything that it starts, even after they detach themselves. */
export const runMark = 'DEWPOINT_RUN';

/** The wrapper's exit code if it cannot enter the folder to run in. */
export const noFolderExit = 125;

/**
 * Printed after the errors of a command if the kernel killed a process for its memory meanwhile. Neither the exit
 * code nor the engine distinguishes that from other kills.
 */
export const memoryNotice = '[dewpoint: the memory limit of the sandbox was reached: something was killed for it]';

/** The programs by name. They are in the container as read-only files in `scriptsInContainer`. */
export const scriptFiles = {
  reaper,
  run: `${sweep}${run}`,
  kill: `${sweep}${kill}`,
  probe,
  ...forwarderFiles,
} as const;

export const scriptsInContainer = '/run/dewpoint';

/** The arguments that start one of them. */
export function scriptCommand(name: keyof typeof scriptFiles, ...values: readonly string[]): string[] {
  return ['/bin/sh', `${scriptsInContainer}/${name}`, ...values];
}
