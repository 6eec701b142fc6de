import { resolve } from 'node:path';
import type { SearchPlace } from './search-path.ts';
import { isWholePath } from '../files/is-within.ts';
import { isOfProject, namedFolders, searchFolders } from './search-path.ts';

/**
 * What a program needs from the environment in addition to what every program gets.
 * - `network`: proxies and certificates, for access to the network
 * - `pip`, `npm`: the user's settings of that tool, because a machine may only reach a mirror
 * - `hub`: where the models of a hub are, and its token
 * - `card`: which graphics card is used, and how
 * - `session`: access to services of the user's desktop session, such as the key store
 * - `desktop`: how programs with windows look, and their language
 * - `terminal`: what an editor in a terminal needs
 * - `ollama`, `containers`: how these are configured
 */
export type Need =
  | 'network'
  | 'pip'
  | 'npm'
  | 'hub'
  | 'card'
  | 'session'
  | 'desktop'
  | 'terminal'
  | 'ollama'
  | 'containers';

const words = (text: string): readonly string[] => text.trim().split(/\s+/u);

/** `*` at the end matches anything that does not look like a key. A full name is always passed. */
const always = [
  ...words('HOME USER LOGNAME LANG LANGUAGE LC_* TZ TMPDIR TEMP TMP __CF_USER_TEXT_ENCODING'),
  ...words('XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME XDG_STATE_HOME'),
  // Without these, a program not made for NixOS does not start there.
  ...words('NIX_LD NIX_LD_LIBRARY_PATH'),
  // Version managers: the programs that they put on PATH need these.
  ...words('PYENV_ROOT ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR VOLTA_HOME'),
  // Windows programs hardly work without these.
  ...words('SystemRoot SystemDrive windir ComSpec PATHEXT OS NUMBER_OF_PROCESSORS PROCESSOR_* USERPROFILE USERNAME'),
  ...words('USERDOMAIN COMPUTERNAME HOMEDRIVE HOMEPATH APPDATA LOCALAPPDATA ALLUSERSPROFILE PUBLIC ProgramData'),
  ...words('ProgramFiles ProgramFiles(x86) ProgramFiles(Arm) ProgramW6432'),
  ...words('CommonProgramFiles CommonProgramFiles(x86) CommonProgramW6432'),
];

const session = words(`
  DBUS_SESSION_BUS_ADDRESS DISPLAY WAYLAND_DISPLAY XAUTHORITY XDG_RUNTIME_DIR XDG_CURRENT_DESKTOP XDG_SESSION_*
  DESKTOP_SESSION KDE_FULL_SESSION KDE_SESSION_VERSION GNOME_KEYRING_CONTROL`);

/** Without settings that name a program: script-shell, git, node-options. */
const npmSettings = words(`
  registry cache userconfig globalconfig prefix proxy https_proxy noproxy cafile ca strict_ssl offline prefer_offline
  fetch_* maxsockets before @*`);

const listed: Readonly<Record<Need, readonly string[]>> = {
  network: words(`
    http_proxy https_proxy all_proxy no_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY
    SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE CURL_CA_BUNDLE`),
  pip: ['PIP_*'],
  npm: [
    ...npmSettings.flatMap((name) => [`npm_config_${name}`, `NPM_CONFIG_${name.toUpperCase()}`]),
    // The user's own `.npmrc` may refer to these two, for npm only.
    ...words('NPM_TOKEN NODE_AUTH_TOKEN'),
  ],
  hub: words('HF_ENDPOINT HF_TOKEN'),
  card: words(`
    CUDA_* NVIDIA_VISIBLE_DEVICES NVIDIA_DRIVER_CAPABILITIES NVIDIA_TF32_OVERRIDE HIP_* ROCR_* HSA_* ROCM_* ROCBLAS_*
    GPU_DEVICE_ORDINAL VK_* VULKAN_SDK RADV_* MESA_* AMD_VULKAN_ICD GGML_* NODE_LLAMA_CPP_*
    OMP_* KMP_* GOMP_* OPENBLAS_* MKL_* ONEAPI_* SYCL_* ZE_* LD_LIBRARY_PATH SNAP PREFIX`),
  session,
  desktop: [
    ...session,
    ...words('XDG_* XDG_ACTIVATION_TOKEN DESKTOP_STARTUP_ID BROWSER SHELL SESSION_MANAGER XMODIFIERS XCURSOR_*'),
    ...words('GTK_* GDK_* GNOME_* KDE_* QT_* MOZ_* WAYLAND_* LIBVA_* PULSE_*'),
    ...words('WSL_DISTRO_NAME WSL_INTEROP WSLENV WSL2_GUI_APPS_ENABLED'),
  ],
  terminal: words(`
    TERM TERM_* TERMINFO TERMINFO_DIRS COLORTERM COLORFGBG COLUMNS LINES NO_COLOR SHELL EDITOR VISUAL ALTERNATE_EDITOR
    PAGER LESS* VIM* NVIM* EXINIT EMACS* HELIX_* MICRO_* TMUX* STY KITTY_* WEZTERM_* ITERM_* VSCODE_*
    SSH_TTY SSH_CONNECTION`),
  ollama: ['OLLAMA_*'],
  containers: words('DOCKER_* CONTAINER_HOST CONTAINERS_* BUILDKIT_* XDG_RUNTIME_DIR DEWPOINT_CACHE'),
};

const looksLikeKey = /(?:key|(?:^|[_-])pwd)s?(?:[_-]|$)|token|secret|passw|credential|_auth/iu;

/**
 * All variables of a program: those on the lists, PATH without folders of projects, and `more`. Includes no key of a
 * service, and nothing that makes a program load other files (NODE_OPTIONS, LD_PRELOAD, DYLD_…, PYTHON…).
 */
export function programEnvironment(
  needs: readonly Need[],
  place: SearchPlace,
  more: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const { env, platform } = place;
  const isWindows = platform === 'win32';
  const isListed = matcher([...always, ...needs.flatMap((need) => listed[need])], isWindows);
  const made: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    const own = value === undefined || !isListed(name) ? null : valueFor(name, value, place);
    if (own !== null) made[name] = own;
  }
  made.PATH = searchFolders(place).join(isWindows ? ';' : ':');
  // Windows looks up a name in the current folder first, unless this is set.
  if (isWindows) made.NoDefaultCurrentDirectoryInExePath = '1';
  return { ...made, ...more };
}

function matcher(patterns: readonly string[], isWindows: boolean): (name: string) => boolean {
  const fold = (name: string): string => (isWindows ? name.toUpperCase() : name);
  const starts = patterns.filter((pattern) => pattern.endsWith('*')).map((pattern) => fold(pattern.slice(0, -1)));
  const names = new Set(patterns.map(fold));
  return (name) =>
    names.has(fold(name)) || (starts.some((start) => fold(name).startsWith(start)) && !looksLikeKey.test(name));
}

/** Variables with a folder; a relative path would depend on the current folder. */
const folders = ['HOME', 'TMPDIR', 'TEMP', 'TMP'];
/** Variables with lists of folders from which libraries are loaded. */
const libraries =
  /^(?:(?:NIX_)?LD_LIBRARY_PATH|VK_\w+|GGML_BACKEND_\w+|CUDA_\w*PATH\w*|HIP_\w*PATH|ROCM_PATH|VULKAN_SDK)$/u;

/** The folders that the environment names for programs and libraries. */
export function foldersToAsk({ env, platform }: Pick<SearchPlace, 'env' | 'platform'>): readonly string[] {
  const entries = Object.entries(env).flatMap(([name, value = '']) =>
    libraries.test(name) ? value.split(platform === 'win32' ? ';' : ':') : [],
  );
  const libraryFolders = entries.filter((entry) => isWholePath(entry, platform));
  return [...new Set([...namedFolders({ env, platform }), ...libraryFolders])];
}

/** Null: the variable is not passed. */
function valueFor(name: string, value: string, place: SearchPlace): string | null {
  const { platform } = place;
  if (name === 'DEWPOINT_CACHE') return resolve(value);
  if (folders.includes(name) && !isWholePath(value, platform)) return null;
  if (!libraries.test(name) || !/[\\/]|^\.*$/u.test(value)) return value;
  const delimiter = platform === 'win32' ? ';' : ':';
  const kept = value.split(delimiter).filter((entry) => isWholePath(entry, platform) && !isOfProject(entry, place));
  return kept.length === 0 ? null : kept.join(delimiter);
}
