import { findDataFolders } from './lib/files/data-folders.ts';
import { startLean } from './lib/programs/lean-start.ts';

declare const __APP_VERSION__: string;

startLean(findDataFolders(process.env, process.platform).cache, __APP_VERSION__);
// Only now, so that it comes out of the cache. Electron is not ready before the end of this turn of the event loop.
void import('./index.ts');
