import { join } from 'node:path';
import { app } from 'electron';
import { escapeForTerminal } from '@shared/text/seen-text.ts';
import { openCore } from './hosts/connection/open-core.ts';
import { startDesktop } from './hosts/desktop/start-desktop.ts';
import { findDataFolders } from './lib/files/data-folders.ts';

declare const __APP_VERSION__: string;

const say = (text: string): void => void process.stderr.write(escapeForTerminal(text));

const { home } = findDataFolders(process.env, process.platform);

app.setName('Dewpoint');
startDesktop({
  // As for the command line: this process owns the home, or is a client of the one that does.
  connect: () => openCore({ err: say }, __APP_VERSION__, 'desktop'),
  home,
  stateFolder: join(home, 'window'),
  pageFolder: join(import.meta.dirname, '../renderer'),
  mainFile: join(import.meta.dirname, 'index.cjs'),
  preloadFile: join(import.meta.dirname, '../preload/index.cjs'),
  developmentUrl: import.meta.env.DEV ? (process.env.ELECTRON_RENDERER_URL ?? null) : null,
  isTest: process.env.DEWPOINT_TEST === '1',
});
