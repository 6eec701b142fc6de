import { rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { createHostPrograms } from '../../../lib/programs/host-programs.ts';
import { createForwardRouter } from '../../../server/forward-router.ts';
import type { WebGrant } from '../../web/web-guard.ts';
import { createPathBoundary } from '../../web/path-boundary.ts';
import { createFolderAliases } from '../../web/alias-folders.ts';
import { createWebGuard, refusedCommands, webGrants } from '../../web/web-guard.ts';
import { startPageServer } from '../../web/page-server.ts';
import type { CommandContext } from '../../text/command-context.ts';
import { usageError } from '../../text/report-failure.ts';
import { servedUntilAsked, serveApi } from './serve-api.command.ts';
import type { OpenCore } from '../../connection/open-core.ts';
import { pathToFileURL } from 'node:url';
import type { HostPrograms } from '../../../lib/programs/host-programs.ts';

export interface ServeArguments {
  readonly port?: string;
  readonly root?: string;
  readonly open?: boolean;
  /** Serve the endpoint for other programs instead of the page. */
  readonly api?: boolean;
  /** Commands that the browser may use in addition to the usual ones. */
  readonly allow?: readonly string[];
}

/** Serves the interface until Ctrl-C, or until the owner of the home has ended. */
export async function serve(context: CommandContext, opened: OpenCore, args: ServeArguments): Promise<number> {
  if (args.api === true) return serveApi(context, opened, parsePort(args.port));
  const { terminal } = context;
  // Starting it here includes the current folder. The user's other projects are usually below their home folder.
  const folders = args.root === undefined ? [homedir(), process.cwd()] : [resolve(args.root)];
  const granted = parseGrants(args.allow ?? []);
  const { home, cache } = await opened.client.home.info();
  const { names, roots } = await createFolderAliases(folders, { home, cache });
  // Their folders get names before the page opens one of these sessions.
  const sessions = await opened.client.sessions.list();
  names.hide(sessions, 'session');
  const rootNames = roots.map((root) => names.aliasOf(root));
  const router = createForwardRouter({
    client: async () => opened.client,
    guard: createWebGuard(granted),
    around: createPathBoundary({ names, roots }),
    own: { 'host.info': async () => ({ isWindow: false, refused: refusedCommands(granted), roots: rootNames }) },
  });
  const server = await startPageServer(router, { port: parsePort(args.port) ?? 0, pageFolder: pageFolder() });
  terminal.out(`${server.url}\n`);
  terminal.err(terminal.colors.dim(`on this machine only; projects in ${folders.join(' and ')}; Ctrl-C stops it\n`));
  if (!granted.includes('settings'))
    terminal.err(terminal.colors.dim('it shows settings; to change them there, too, add --allow settings\n'));
  const launchFile = join(home, 'open-in-browser.html');
  if (args.open === true) {
    const projects = async (): Promise<readonly string[]> =>
      sessions.flatMap(({ projectPath }) => (projectPath === null ? [] : [projectPath]));
    const programs = createHostPrograms({ home, env: process.env, projects });
    if (!(await openInBrowser(server.url, launchFile, programs)))
      terminal.err('no browser could be opened; open the address above\n');
  }
  const code = await servedUntilAsked(context, opened);
  await server.close();
  await rm(launchFile, { force: true });
  return code;
}

function parseGrants(words: readonly string[]): readonly WebGrant[] {
  return words
    .flatMap((word) => word.split(','))
    .map((word) => {
      const grant = webGrants.find((one) => one === word.trim());
      if (grant === undefined)
        throw usageError(`--allow does not take "${word}".`, `Choose one of: ${webGrants.join(', ')}`);
      return grant;
    });
}

/** Next to the command line in the build. */
function pageFolder(): string {
  return join(import.meta.dirname, '../renderer');
}

/** Null: no port was named. */
function parsePort(text: string | undefined): number | null {
  if (text === undefined) return null;
  const port = Number(text);
  if (!/^\d+$/u.test(text) || port > 65_535)
    throw usageError(`--port takes a port number, not "${text}".`, 'See: dewpoint serve --help');
  return port;
}

/**
 * Opens the page with the system's own opener. The address itself is not passed, because every user of the machine can
 * read the arguments of a program. So the token is in a file that only this user can read. False if there is no opener.
 */
export async function openInBrowser(url: string, launchFile: string, programs: HostPrograms): Promise<boolean> {
  const page = `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=${url}">\n`;
  await writeFile(launchFile, page, { mode: 0o600 });
  const [name, args] = openerOf(pathToFileURL(launchFile).href, process.platform);
  const program = await programs.find(name);
  if (program === null) return false;
  // The opener may become the browser itself, which needs the network.
  const how = { needs: ['network', 'desktop'], stdio: 'ignore', detached: true, isSeen: true } as const;
  const child = programs.start(program, args, how);
  child.unref();
  return new Promise((resolve) => child.once('spawn', () => resolve(true)).once('error', () => resolve(false)));
}

function openerOf(url: string, platform: NodeJS.Platform): readonly [string, string[]] {
  if (platform === 'darwin') return ['open', [url]];
  if (platform === 'win32') return ['rundll32', ['url.dll,FileProtocolHandler', url]];
  return ['xdg-open', [url]];
}
