import { parsedUrl } from '../../../lib/net/parsed-url.ts';

const usual = 'http://127.0.0.1:11434';

/**
 * Where the server is: as the settings say, else as `OLLAMA_HOST` does in the forms that Ollama itself takes (`HOST`,
 * `:PORT`, `HOST:PORT`, a whole address), else the usual place. "All addresses", as a server writes it, is this machine.
 */
export function ollamaAddress(baseUrl: string | undefined, host: string | undefined): string {
  if (baseUrl !== undefined) return baseUrl.replace(/(?<!\/)\/+$/, '');
  const said = (host ?? '').trim().replace(/^["']|["']$/g, '');
  if (said === '') return usual;
  const hasScheme = /^https?:\/\//i.test(said);
  const whole = hasScheme ? said : `http://${said.startsWith(':') ? `127.0.0.1${said}` : said}`;
  const url = parsedUrl(whole);
  if (url === null) return usual;
  if (url.hostname === '0.0.0.0' || url.hostname === '[::]') url.hostname = '127.0.0.1';
  // As Ollama has it: a whole address means the port of its scheme, a bare name the port of Ollama.
  if (url.port === '' && !hasScheme && !said.endsWith(':80')) url.port = '11434';
  return url.href.replace(/(?<!\/)\/+$/, '');
}
