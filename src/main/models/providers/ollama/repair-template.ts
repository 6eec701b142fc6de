import chatmlWithTools from '../../../../../resources/templates/chatml-with-tools.gotmpl?raw';
import chatml from '../../../../../resources/templates/chatml.gotmpl?raw';
import gemma from '../../../../../resources/templates/gemma.gotmpl?raw';
import llama3 from '../../../../../resources/templates/llama-3.gotmpl?raw';
import mistral from '../../../../../resources/templates/mistral.gotmpl?raw';
import type { Finding } from './check-ollama-load.ts';
import type { KnownModel } from './ollama-known-models.ts';

/** A template for a derived model, in place of one that does nothing. */
export interface RepairTemplate {
  readonly family: string;
  readonly template: string;
  /** The strings that end an answer in this family. */
  readonly stop: readonly string[];
  readonly hasTools: boolean;
}

/** The prefix of models that Dewpoint derived. */
const ourPrefix = 'dewpoint/';

/** Whether a template is only `{{ .Prompt }}`. A model gets that if Ollama does not know the template in its file. */
export function isBareTemplate(template: string): boolean {
  return /^\{\{-?\s*\.Prompt\s*-?\}\}$/.test(template.trim());
}

/** What is wrong with the template, and how to repair it. Null: nothing. */
export function judgeTemplate(known: KnownModel): Finding | null {
  const way = repairTemplateFor(known) === null ? '' : '. Repair it with "dewpoint models repair"';
  if (isBareTemplate(known.template))
    return { code: 'template-missing', text: `its template is missing, so it cannot tell who says what${way}` };
  if (
    known.capabilities.length > 0 &&
    !known.capabilities.includes('tools') &&
    repairTemplateFor(known)?.hasTools === true
  )
    return { code: 'tools-missing', text: `its template has no tools, although the model supports them${way}` };
  return null;
}

/**
 * Finds the template by the special tokens that the model was trained with. Null if they belong to no known family.
 */
export function repairTemplateFor({ header: { markers } }: Pick<KnownModel, 'header'>): RepairTemplate | null {
  if (markers.includes('<|im_start|>') && markers.includes('<tool_call>'))
    return {
      family: 'ChatML with tools',
      template: chatmlWithTools,
      stop: ['<|im_end|>', '<|endoftext|>'],
      hasTools: true,
    };
  if (markers.includes('<|im_start|>'))
    return { family: 'ChatML', template: chatml, stop: ['<|im_end|>'], hasTools: false };
  if (markers.includes('<|start_header_id|>'))
    return { family: 'Llama 3', template: llama3, stop: ['<|eot_id|>', '<|start_header_id|>'], hasTools: false };
  if (markers.includes('<start_of_turn>'))
    return { family: 'Gemma', template: gemma, stop: ['<end_of_turn>'], hasTools: false };
  if (markers.includes('[INST]'))
    return { family: 'Mistral', template: mistral, stop: ['[INST]', '[/INST]'], hasTools: false };
  return null;
}

/** `qwen:7b` becomes `dewpoint/qwen:7b`, `someone/qwen:7b` becomes `dewpoint/someone-qwen:7b`. */
export function repairedName(name: string): string {
  return `${ourPrefix}${name.replace(/^[^/.]*\.[^/]*\//, '').replaceAll('/', '-')}`;
}

/** `qwen:7b` with `terse` becomes `dewpoint/qwen-7b:terse`. */
export function adaptedName(name: string, adapter: string): string {
  return `${repairedName(name).replace(':', '-')}:${adapter}`;
}
