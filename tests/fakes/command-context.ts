import { createRouterClient } from '@orpc/server';
import picocolors from 'picocolors';
import type { CoreApi } from '../../src/main/api/core-api.ts';
import { createRouter } from '../../src/main/api/router.ts';
import type { CommandContext } from '../../src/main/cli/context.ts';

/** What a command of the terminal works with, before this core and with nobody to ask. `said` fills as it speaks. */
export function commandContext(core: CoreApi) {
  const said = { out: '', err: '' };
  const context: CommandContext = {
    core: async () => createRouterClient(createRouter(core)),
    terminal: {
      out: (text) => void (said.out += text),
      err: (text) => void (said.err += text),
      isLive: false,
      isInteractive: false,
      columns: 100,
      colors: picocolors.createColors(false),
    },
    signal: new AbortController().signal,
    now: () => 0,
    version: '1.2.3',
  };
  return { context, said };
}
