import { llamaServerSchema } from '@shared/settings/settings.ts';
import { defineProvider } from './define.ts';
import { createLlamaServerProvider } from './llama-server/create-llama-server-provider.ts';

/** Model files of this machine in the llama-server that a person has installed, which we start and end. */
export default defineProvider({
  kind: 'llama-server',
  label: 'llama-server on this machine',
  settings: llamaServerSchema,
  secrets: [],
  create: createLlamaServerProvider,
});
