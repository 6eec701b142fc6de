/**
 * What a shell command starts in the background and does not wait for, as it was written. The sandbox ends it together
 * with the command, which nobody would see otherwise. Null: nothing, as far as the text tells.
 */
export function leftRunning(command: string): string | null {
  const whole = withoutDocuments(command);
  const text = withoutQuotes(whole);
  // A `wait` without a job waits for all of them.
  if (/(?:^|[\s;&|(])wait\s*(?:$|[;&|)\n])/mu.test(text)) return null;
  // Each piece between the signs that end a command, with its sign: `&` alone, not `&&`, `&>file`, `2>&1` or `|&`.
  const ends = [...text.matchAll(/&&|\|\|?|[;\n]|(?<![<>\\])&(?!>)|$/gu)];
  let from = 0;
  for (const { 0: sign, index } of ends) {
    const part = whole
      .slice(from, index)
      .replaceAll(/\s+/gu, ' ')
      .replace(/^[ ({]+/u, '')
      .trim();
    if (part !== '' && (sign === '&' || part.startsWith('setsid '))) return part.slice(0, 200);
    from = index + sign.length;
  }
  return null;
}

/** The bodies of here documents are data. */
function withoutDocuments(command: string): string {
  if (!command.includes('<<')) return command;
  const kept: string[] = [];
  let end: string | null = null;
  for (const line of command.split('\n')) {
    if (end === null) kept.push(line);
    else if (line.trim() === end) end = null;
    end ??= /(?<!<)<<-?\s*(["']?)([\w.-]+)\1/u.exec(line)?.[2] ?? null;
  }
  return kept.join('\n');
}

/** Quoted signs and comments mean nothing to the shell. Each sign keeps its place. */
function withoutQuotes(text: string): string {
  return text.replaceAll(/\\.|'[^']*'|"(?:[^"\\]|\\.)*"|(?<=^|\s)#[^\n]*/gsu, (found) => '_'.repeat(found.length));
}
