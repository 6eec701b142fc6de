import nodeScript from '../../../../resources/programs/sandbox/forward.cjs?raw';
import pythonScript from '../../../../resources/programs/sandbox/forward.py?raw';

/**
 * The other end of `connection-tunnel.ts`, inside the container. It listens on the container's loopback and carries
 * every connection over its own input and output. It decides nothing. It exists in Python and in JavaScript, because
 * an image has one or the other, and the shell script uses what is there. It ends with its input.
 */
export const forwarderPort = 3128;

/** The exit code if the image has neither. */
export const noForwarderExit = 127;

const chooseScript = `command -v python3 >/dev/null 2>&1 && exec python3 -I -S /run/dewpoint/forward.py "$1"
command -v node >/dev/null 2>&1 && exec node /run/dewpoint/forward.cjs "$1"
exit ${noForwarderExit}`;

/** By their file names in the container. */
export const forwarderFiles = {
  forward: chooseScript,
  'forward.py': pythonScript,
  'forward.cjs': nodeScript,
} as const;
