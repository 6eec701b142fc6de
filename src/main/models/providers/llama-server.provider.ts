import { llamaServerSchema } from '@shared/settings/settings.ts';
import { defineProvider } from './define.ts';
import { createLlamaServerProvider } from './llama-server/create-llama-server-provider.ts';

/** Runs model files of this machine in the user's own llama-server, which Dewpoint starts and stops. */
export default defineProvider({
  kind: 'llama-server',
  label: 'llama-server on this machine',
  settings: llamaServerSchema,
  secrets: [],
  create: createLlamaServerProvider,
});
