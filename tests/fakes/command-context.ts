import { createRouterClient } from '@orpc/server';
import type { Handlers } from '../../src/main/server/handlers.ts';
import { createRouter } from '../../src/main/server/router.ts';
import type { CommandContext } from '../../src/main/hosts/text/command-context.ts';
import { safeWriting } from '../../src/main/hosts/text/terminal.ts';

/** The context of a terminal command: this core, and nobody who could answer questions. `said` collects its output. */
export function commandContext({ handlers }: { readonly handlers: Handlers }, hasColors = false) {
  const said = { out: '', err: '' };
  const context: CommandContext = {
    core: async () => createRouterClient(createRouter(handlers)),
    terminal: {
      ...safeWriting({ out: (text) => void (said.out += text), err: (text) => void (said.err += text) }, hasColors),
      isLive: false,
      isInteractive: false,
      columns: 100,
    },
    signal: new AbortController().signal,
    now: () => 0,
    version: '1.2.3',
  };
  return { context, said };
}
