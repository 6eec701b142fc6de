/**
 * What the user typed or pasted, as the id of a hub repository or one of its files: `hf:OWNER/REPO`,
 * `hf:OWNER/REPO:QUANTISATION`, `hf:OWNER/REPO/FILE.gguf`. Null when it names none.
 */
export function hubName(typed: string): string | null {
  const text = typed.trim().replace(/[?#][\s\S]*/u, '');
  const address = /^(?:https?:\/\/)?(?:www\.)?(?:huggingface\.co|hf\.co)\/(.+)$/u.exec(text)?.[1];
  const name = (address ?? text.replace(/^hf:/u, '')).replace(/(?<!\/)\/+$/u, '');
  const found = /^([\w.-]+\/[\w.-]+)(?:(:[\w.-]+)|\/(.+))?$/u.exec(name);
  if (found === null) return null;
  const [, repository = '', quantisation = '', rest = ''] = found;
  const file = rest.replace(/^(?:blob|resolve|tree)\/[^/]+\/?/u, '');
  if (file === '') return `hf:${repository}${quantisation}`;
  if (file.endsWith('.gguf')) return `hf:${repository}/${file}`;
  // The address of a folder, or of another tab of its page.
  return address === undefined ? null : `hf:${repository}`;
}

/** The name of a choice within its repository. */
export function choiceName(id: string): string {
  return /^hf:[^/]+\/[^/:]+[/:](.+)$/u.exec(id)?.[1] ?? id;
}
