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

const chatml = `{{- range .Messages }}<|im_start|>{{ .Role }}
{{ .Content }}<|im_end|>
{{ end }}<|im_start|>assistant
`;

const chatmlWithTools = `{{- if or .System .Tools }}<|im_start|>system
{{- if .System }}
{{ .System }}
{{- end }}
{{- if .Tools }}

# Tools

You may call one or more functions to assist with the user query.

You are provided with function signatures within <tools></tools> XML tags:
<tools>
{{- range .Tools }}
{"type": "function", "function": {{ .Function }}}
{{- end }}
</tools>

For each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:
<tool_call>
{"name": <function-name>, "arguments": <args-json-object>}
</tool_call>
{{- end }}<|im_end|>
{{ end }}
{{- range $i, $_ := .Messages }}
{{- $last := eq (len (slice $.Messages $i)) 1 -}}
{{- if eq .Role "user" }}<|im_start|>user
{{ .Content }}<|im_end|>
{{ else if eq .Role "assistant" }}<|im_start|>assistant
{{ if .Content }}{{ .Content }}
{{- else if .ToolCalls }}<tool_call>
{{ range .ToolCalls }}{"name": "{{ .Function.Name }}", "arguments": {{ .Function.Arguments }}}
{{ end }}</tool_call>
{{- end }}{{ if not $last }}<|im_end|>
{{ end }}
{{- else if eq .Role "tool" }}<|im_start|>user
<tool_response>
{{ .Content }}
</tool_response><|im_end|>
{{ end }}
{{- if and (ne .Role "assistant") $last }}<|im_start|>assistant
{{ end }}
{{- end }}`;

const llama3 = `{{- range .Messages }}<|start_header_id|>{{ .Role }}<|end_header_id|>

{{ .Content }}<|eot_id|>
{{- end }}<|start_header_id|>assistant<|end_header_id|>

`;

const gemma = `{{- $system := "" }}
{{- range .Messages }}
{{- if eq .Role "system" }}{{ $system = .Content }}{{ continue }}{{ end }}
{{- if eq .Role "user" }}<start_of_turn>user
{{- if $system }}
{{ $system }}
{{- $system = "" }}
{{- end }}
{{- else }}<start_of_turn>model
{{- end }}
{{ .Content }}<end_of_turn>
{{ end }}<start_of_turn>model
`;

const mistral = `{{- range $i, $_ := .Messages }}
{{- if eq .Role "system" }}[INST] {{ .Content }}

{{ else if eq .Role "user" }}{{ if or (eq $i 0) (ne (index $.Messages 0).Role "system") (ne $i 1) }}[INST] {{ end }}{{ .Content }}[/INST]
{{- else }} {{ .Content }}</s>
{{- end }}
{{- end }}`;
