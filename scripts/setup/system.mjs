import { capture, has, stream } from './run.mjs';
import { say } from './say.mjs';

/** Debian packages by what needs them. Only those for a chosen suite are installed. */
export const packagesFor = {
  docker: ['docker.io', 'containerd', 'runc', 'iptables'],
  // podman uses the runc of the Docker engine above. Naming runc here would make apt remove another maker's engine.
  podman: ['podman'],
  // Maps the users of an engine that does not run as root.
  rootless: ['rootlesskit', 'uidmap'],
  image: ['debootstrap'],
  // A disk that does not tell capital letters apart.
  caseBlind: ['exfat-fuse', 'exfatprogs', 'mount'],
  compiler: ['gcc', 'g++'],
  pytest: ['python3', 'python3-pytest'],
  chromium: ['chromium'],
  keyring: ['gnome-keyring', 'dbus', 'libsecret-1-0'],
  electron: [
    'xvfb',
    'libgtk-3-0',
    'libnss3',
    'libasound2',
    'libgbm1',
    'libxss1',
    'libatk-bridge2.0-0',
    'libsecret-1-0',
    // Shows notifications on a desktop.
    'dbus',
    'dunst',
    'libnotify4',
  ],
};

/**
 * Makes sure that Debian packages are installed. Installs missing ones only if that is allowed.
 * @param {readonly string[]} packages
 * @param {{allowed: boolean}} options
 * @returns {Promise<{ok: true} | {ok: false, message: string}>}
 */
export async function ensurePackages(packages, { allowed }) {
  if (!has('dpkg-query')) return { ok: false, message: `this system needs the equivalents of: ${packages.join(' ')}` };
  const missing = packages.filter((name) => !isInstalled(name));
  if (missing.length === 0) return { ok: true };
  const install = ['apt-get', 'install', '-y', '--no-install-recommends', ...missing];
  if (!allowed) {
    return {
      ok: false,
      message: `not installed: ${missing.join(' ')}. Run "sudo ${install.join(' ')}", or "npm test -- --setup-system"`,
    };
  }
  for (const command of [['apt-get', 'update'], install]) {
    const done = await runAsRoot(command);
    if (!done.ok) return { ok: false, message: `"${command.join(' ')}" failed:\n${done.output.trim().slice(-1500)}` };
  }
  return { ok: true };
}

/** @param {string} name */
function isInstalled(name) {
  const state = capture('dpkg-query', ['-W', '-f', '${db:Status-Status}', name]);
  return state.ok && state.stdout === 'installed';
}

/** @param {readonly string[]} command */
function runAsRoot(command) {
  const isRoot = process.getuid?.() === 0;
  const whole = isRoot ? command : ['sudo', '-n', ...command];
  say(`running: ${whole.join(' ')}`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return stream(whole[0], whole.slice(1), { env, quiet: true, timeoutMs: 900_000 });
}
