import type { Command } from 'commander';

export interface ModelHandlers {
  models(
    action: 'list' | 'show' | 'pull' | 'import' | 'remove' | 'probe' | 'repair' | 'set',
    id: string | undefined,
    args: {
      readonly json?: boolean;
      readonly name?: string;
      readonly yes?: boolean;
      readonly words?: readonly string[];
    },
  ): Promise<void>;
}

type Subcommand = (parent: Command, name: string, description: string, example: string) => Command;

export function addModels(program: Command, subcommand: Subcommand, handlers: ModelHandlers): void {
  const models = subcommand(program, 'models', 'the models that can be used', 'dewpoint models list');
  subcommand(models, 'list', 'what is here and what can be fetched', 'dewpoint models list')
    .option('--json', 'as JSON')
    .action((args: { readonly json?: boolean }) => handlers.models('list', undefined, args));
  subcommand(models, 'show', 'one model', 'dewpoint models show llama-cpp/qwen2.5-coder-1.5b-instruct')
    .argument('<model>', 'PROVIDER/MODEL')
    .option('--json', 'as JSON')
    .action((id: string, args: { readonly json?: boolean }) => handlers.models('show', id, args));
  subcommand(models, 'pull', 'fetch a model', 'dewpoint models pull llama-cpp/qwen2.5-coder-1.5b-instruct')
    .argument('<model>', 'PROVIDER/MODEL; of a hub: hf:OWNER/REPO, hf:OWNER/REPO:Q4_K_M or hf:OWNER/REPO/FILE.gguf')
    .action((id: string) => handlers.models('pull', id, {}));
  subcommand(models, 'import', 'use a model file of your own, where it lies', 'dewpoint models import ~/my-model.gguf')
    .argument('<file>', 'a .gguf file; nothing of it is copied')
    .option('--name <name>', "what it is called here (default: the file's name)")
    .option('--json', 'as JSON')
    .action((file: string, args: { readonly name?: string; readonly json?: boolean }) =>
      handlers.models('import', file, args),
    );
  subcommand(
    models,
    'probe',
    'find out how a model is best driven, in about a minute',
    'dewpoint models probe llama-cpp/qwen2.5-coder-1.5b-instruct',
  )
    .argument('<model>', 'PROVIDER/MODEL; each call of a service costs what it costs')
    .option('--json', 'as JSON')
    .action((id: string, args: { readonly json?: boolean }) => handlers.models('probe', id, args));
  subcommand(
    models,
    'remove',
    'delete what was downloaded, forget what was imported',
    'dewpoint models remove llama-cpp/my-model',
  )
    .argument('<model>', 'llama-cpp/NAME, ollama/NAME')
    .option('--yes', 'do not ask before a file is deleted')
    .option('--json', 'as JSON')
    .action((id: string, args: { readonly yes?: boolean; readonly json?: boolean }) =>
      handlers.models('remove', id, args),
    );
  addModelChanges(models, subcommand, handlers);
}

function addModelChanges(models: Command, subcommand: Subcommand, handlers: ModelHandlers): void {
  subcommand(
    models,
    'set',
    'drive a model in another way than its probe found',
    'dewpoint models set llama-cpp/my-model calls=text toolBudget=5 systemText="Answer in German."',
  )
    .argument('<model>', 'PROVIDER/MODEL')
    .argument(
      '<name=value...>',
      'calls, strategies, toolBudget, promptForm, edits, temperature, topP, systemText; NAME= unsets',
    )
    .option('--json', 'as JSON')
    .action((id: string, words: readonly string[], args: { readonly json?: boolean }) =>
      handlers.models('set', id, { ...args, words }),
    );
  subcommand(
    models,
    'repair',
    "repair a model of Ollama's whose template is missing",
    'dewpoint models repair ollama/my-model',
  )
    .argument('<model>', 'ollama/NAME')
    .option('--yes', 'do not ask before the derived model is made')
    .option('--json', 'as JSON')
    .action((id: string, args: { readonly yes?: boolean; readonly json?: boolean }) =>
      handlers.models('repair', id, args),
    );
}
