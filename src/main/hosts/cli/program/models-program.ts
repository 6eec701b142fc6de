import type { Command } from 'commander';
import { subcommand } from './subcommand.ts';

export interface ModelHandlers {
  models(
    action:
      | 'list'
      | 'show'
      | 'pull'
      | 'import'
      | 'adapter'
      | 'update-catalog'
      | 'reset-catalog'
      | 'show-prices'
      | 'update-prices'
      | 'reset-prices'
      | 'remove'
      | 'probe'
      | 'repair'
      | 'set'
      | 'suggest',
    id: string | undefined,
    args: {
      readonly json?: boolean;
      readonly name?: string;
      readonly model?: string;
      readonly yes?: boolean;
      readonly machine?: string;
      readonly words?: readonly string[];
    },
  ): Promise<void>;
}

export function addModels(program: Command, handlers: ModelHandlers): void {
  const models = subcommand(program, 'models', 'manage models', 'dewpoint models list');
  subcommand(models, 'list', 'list the models here and the models to download', 'dewpoint models list')
    .option('--json', 'print JSON')
    .action((args: { readonly json?: boolean }) => handlers.models('list', undefined, args));
  subcommand(models, 'suggest', 'suggest models that suit this machine', 'dewpoint models suggest')
    .option('--machine <file>', 'a JSON file that describes another machine')
    .option('--json', 'print JSON')
    .action((args: { readonly machine?: string; readonly json?: boolean }) =>
      handlers.models('suggest', undefined, args),
    );
  subcommand(models, 'show', 'show one model', 'dewpoint models show llama-cpp/qwen2.5-coder-1.5b-instruct')
    .argument('<model>', 'PROVIDER/MODEL')
    .option('--json', 'print JSON')
    .action((id: string, args: { readonly json?: boolean }) => handlers.models('show', id, args));
  subcommand(models, 'pull', 'download a model', 'dewpoint models pull llama-cpp/qwen2.5-coder-1.5b-instruct')
    .argument('<model>', 'PROVIDER/MODEL; from a hub: hf:OWNER/REPO, hf:OWNER/REPO:Q4_K_M or hf:OWNER/REPO/FILE.gguf')
    .action((id: string) => handlers.models('pull', id, {}));
  subcommand(models, 'import', 'use a model file of your own', 'dewpoint models import ~/my-model.gguf')
    .argument('<file>', 'a .gguf file; it is not copied')
    .option('--name <name>', 'the name of the model (default: the file name)')
    .option('--json', 'print JSON')
    .action((file: string, args: { readonly name?: string; readonly json?: boolean }) =>
      handlers.models('import', file, args),
    );
  subcommand(
    models,
    'adapter',
    'use a LoRA adapter with a model, or let it see pictures',
    'dewpoint models adapter ~/my-style.gguf llama-cpp/my-model',
  )
    .argument('<file>', 'a LoRA adapter or a projector (mmproj) as a .gguf file; only Ollama copies it')
    .argument('<model>', 'llama-cpp/NAME or ollama/NAME: the model that it was trained on')
    .option('--name <name>', 'the name of the adapter (default: the file name)')
    .option('--json', 'print JSON')
    .action((file: string, model: string, args: { readonly name?: string; readonly json?: boolean }) =>
      handlers.models('adapter', file, { ...args, model }),
    );
  subcommand(
    models,
    'probe',
    'find the best settings for a model, in about a minute',
    'dewpoint models probe llama-cpp/qwen2.5-coder-1.5b-instruct',
  )
    .argument('<model>', 'PROVIDER/MODEL; calls to the cloud cost money')
    .option('--json', 'print JSON')
    .action((id: string, args: { readonly json?: boolean }) => handlers.models('probe', id, args));
  subcommand(
    models,
    'remove',
    'delete a downloaded model, or forget an imported one',
    'dewpoint models remove llama-cpp/my-model',
  )
    .argument('<model>', 'llama-cpp/NAME, ollama/NAME')
    .option('--yes', 'delete without asking')
    .option('--json', 'print JSON')
    .action((id: string, args: { readonly yes?: boolean; readonly json?: boolean }) =>
      handlers.models('remove', id, args),
    );
  addModelChanges(models, handlers);
  addCatalog(models, handlers);
  addPrices(models, handlers);
}

function addModelChanges(models: Command, handlers: ModelHandlers): void {
  subcommand(
    models,
    'set',
    'override the settings that a probe found',
    'dewpoint models set llama-cpp/my-model calls=text toolBudget=5 systemText="Answer in German."',
  )
    .argument('<model>', 'PROVIDER/MODEL')
    .argument(
      '<name=value...>',
      'calls, strategies, toolBudget, promptForm, edits, temperature, topP, systemText; NAME= resets',
    )
    .option('--json', 'print JSON')
    .action((id: string, words: readonly string[], args: { readonly json?: boolean }) =>
      handlers.models('set', id, { ...args, words }),
    );
  subcommand(
    models,
    'repair',
    'repair an Ollama model whose template is missing',
    'dewpoint models repair ollama/my-model',
  )
    .argument('<model>', 'ollama/NAME')
    .option('--yes', 'repair without asking')
    .option('--json', 'print JSON')
    .action((id: string, args: { readonly yes?: boolean; readonly json?: boolean }) =>
      handlers.models('repair', id, args),
    );
}

function addCatalog(models: Command, handlers: ModelHandlers): void {
  const catalog = subcommand(
    models,
    'catalog',
    'renew the list of models that are suggested',
    'dewpoint models catalog update ~/catalog.json',
  );
  subcommand(
    catalog,
    'update',
    'show what a signed catalog changes, and use it after your approval',
    'dewpoint models catalog update ~/catalog.json',
  )
    .argument('<source>', 'a file, or an https address')
    .option('--yes', 'use it without asking')
    .option('--json', 'print JSON')
    .action((source: string, args: { readonly yes?: boolean; readonly json?: boolean }) =>
      handlers.models('update-catalog', source, args),
    );
  subcommand(catalog, 'reset', 'use the catalog that came with Dewpoint', 'dewpoint models catalog reset')
    .option('--json', 'print JSON')
    .action((args: { readonly json?: boolean }) => handlers.models('reset-catalog', undefined, args));
}

function addPrices(models: Command, handlers: ModelHandlers): void {
  const prices = subcommand(models, 'prices', 'renew the prices of cloud models', 'dewpoint models prices update');
  subcommand(prices, 'show', 'show where the prices come from, and their date', 'dewpoint models prices show')
    .option('--json', 'print JSON')
    .action((args: { readonly json?: boolean }) => handlers.models('show-prices', undefined, args));
  subcommand(
    prices,
    'update',
    'fetch the newest price list, show what changes, and use it after your approval',
    'dewpoint models prices update',
  )
    .option('--yes', 'use it without asking')
    .option('--json', 'print JSON')
    .action((args: { readonly yes?: boolean; readonly json?: boolean }) =>
      handlers.models('update-prices', undefined, args),
    );
  subcommand(prices, 'reset', 'use the prices that came with Dewpoint', 'dewpoint models prices reset')
    .option('--json', 'print JSON')
    .action((args: { readonly json?: boolean }) => handlers.models('reset-prices', undefined, args));
}
