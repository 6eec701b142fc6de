import { entropyOf, isFiller, isKeyFiller, isWordlike } from './random-text.ts';
import { serviceKeys } from './service-keys.ts';

/** What a kind of secret looks like in any text. */
export interface SecretShape {
  readonly kind: string;
  /** In lower case. A text without any of these cannot hold the secret. A cheap test before the pattern runs. */
  readonly hints: readonly string[];
  /** Must run in linear time on any text, because it reads what commands print. A test measures it. */
  readonly pattern: RegExp;
  /** A further condition on a match. A lookahead in the pattern would read a long text again and again. */
  readonly accepts?: (found: string) => boolean;
}

/** What stands in a text in place of a secret. */
export type Mask = (kind: string, secret: string) => string;

export const plainMask: Mask = (kind) => `[redacted:${kind}]`;

/** A text with its secrets replaced, and the kind of each. */
export interface HiddenText {
  readonly text: string;
  readonly kinds: readonly string[];
}

/** Where a key may begin: not after a letter, digit or underscore, except after an escape, as in JSON. */
const edge = String.raw`(?:(?<![A-Za-z0-9_])|(?<=\\[nrtbf]))`;

function shape(kind: string, hints: readonly string[], body: string): SecretShape {
  return { kind, hints, pattern: new RegExp(edge + body, 'g'), accepts: (found) => !isKeyFiller(found) };
}

/** A JSON web token: two parts that begin like JSON in base64, and a signature (`eyJ….eyJ….…`). */
function hasThreeParts(found: string): boolean {
  const parts = found.split('.');
  return parts.some((part, at) => {
    const next = parts[at + 1] ?? '';
    const begins = part.indexOf('eyJ');
    if (begins === -1 || part.length - begins < 13) return false;
    return next.startsWith('eyJ') && next.length >= 13 && (parts[at + 2] ?? '').length >= 10;
  });
}

const hasDigit = (found: string): boolean => /\d/.test(found);

/** A key has one long part without words in it. A list of names that begin alike, such as CSS classes, has none. */
function hasKeyPart(found: string): boolean {
  return hasDigit(found) && !isKeyFiller(found) && found.split('-').some((part) => part.length >= 14 && hasDigit(part));
}

const ofServices: readonly SecretShape[] = serviceKeys.map(([kind, hints, body, entropy]) => ({
  kind,
  hints: hints.split(' '),
  pattern: new RegExp(`${edge}(?:${body})(?![A-Za-z0-9_])`, 'g'),
  accepts: (found) => entropyOf(found) >= entropy && !isKeyFiller(found),
}));

/** Keys and tokens that their form alone identifies. */
export const secretShapes: readonly SecretShape[] = [
  {
    // Up to its end line, to the next key, or to what cannot be in a key, such as code.
    kind: 'private-key',
    hints: ['PRIVATE KEY'],
    pattern:
      /-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----[A-Za-z0-9+/=\s\\"'`,.:;()<>|#*-]{0,16384}?(?:-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----|(?=-----BEGIN |[^A-Za-z0-9+/=\s\\"'`,.:;()<>|#*-])|$)/g,
    accepts: (found) => /[A-Za-z0-9+/]{40}/.test(found),
  },
  shape('anthropic-key', ['sk-ant-'], String.raw`sk-ant-[\w-]{16,}`),
  { ...shape('openai-key', ['sk-'], 'sk-(?!ant-)[A-Za-z0-9_-]{20,}'), accepts: hasKeyPart },
  shape('github-token', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], 'gh[pousr]_[A-Za-z0-9]{20,}'),
  shape('github-token', ['github_pat_'], 'github_pat_[A-Za-z0-9_]{20,}'),
  shape('gitlab-token', ['glpat-'], String.raw`glpat-[\w.-]{19,}\w`),
  {
    ...shape('aws-key', ['akia', 'asia', 'abia', 'acca'], '(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])'),
    // The keys of the manual of AWS.
    accepts: (found) => !found.includes('EXAMPLE') && !isKeyFiller(found),
  },
  shape('google-key', ['aiza'], String.raw`AIza[\w-]{35}(?![\w-])`),
  shape('google-secret', ['gocspx-'], String.raw`GOCSPX-[\w-]{24,}`),
  { ...shape('google-token', ['ya29.'], String.raw`ya29\.[\w-]{20,}`), accepts: hasDigit },
  { ...shape('slack-token', ['xox'], 'xox[abceoprs]-[A-Za-z0-9-]{10,}'), accepts: hasDigit },
  shape('npm-token', ['npm_'], 'npm_[A-Za-z0-9]{30,}'),
  shape('hugging-face-token', ['hf_'], 'hf_[A-Za-z0-9]{30,}'),
  shape('stripe-key', ['_live_', '_test_', '_prod_'], '[rs]k_(?:live|test|prod)_[A-Za-z0-9]{16,}'),
  shape('webhook-secret', ['whsec_'], 'whsec_[A-Za-z0-9+/]{24,}={0,2}'),
  {
    ...shape('discord-token', ['.'], String.raw`[MNO][A-Za-z0-9_-]{23,27}\.[\w-]{6}\.[\w-]{27,40}(?![\w.-])`),
    accepts: isMixed,
  },
  { ...shape('telegram-token', [':aa'], String.raw`\d{8,10}:AA[\w-]{32,33}(?![\w-])`), accepts: isMixed },
  shape('docker-token', ['dckr_'], String.raw`dckr_[op]at_[\w-]{20,}`),
  shape('figma-token', ['figd_'], String.raw`figd_[\w-]{30,}`),
  shape('supabase-token', ['sbp_', 'sb_secret_'], String.raw`(?:sbp_[0-9a-f]{40}|sb_secret_[\w-]{20,})`),
  shape('tailscale-key', ['tskey-'], 'tskey-[a-z]{2,10}-[A-Za-z0-9-]{16,}'),
  shape('groq-key', ['gsk_'], 'gsk_[A-Za-z0-9]{40,}'),
  shape('xai-key', ['xai-'], 'xai-[A-Za-z0-9]{60,}'),
  shape('replicate-token', ['r8_'], 'r8_[A-Za-z0-9]{37}(?![A-Za-z0-9])'),
  shape('pinecone-key', ['pcsk_'], 'pcsk_[A-Za-z0-9_]{40,}'),
  shape('notion-token', ['secret_'], 'secret_[A-Za-z0-9]{43}(?![A-Za-z0-9])'),
  shape('nuget-key', ['oy2'], 'oy2[a-z0-9]{43}(?![A-Za-z0-9])'),
  shape('netlify-token', ['nfp_'], 'nfp_[A-Za-z0-9]{36,}'),
  shape('circleci-token', ['ccipat_'], 'CCIPAT_[A-Za-z0-9]{20,}_[0-9a-f]{40}'),
  shape('buildkite-token', ['bkua_'], 'bkua_[0-9a-f]{40}'),
  shape('contentful-token', ['cfpat-'], String.raw`CFPAT-[\w-]{40,}`),
  shape('elevenlabs-key', ['sk_'], 'sk_[0-9a-f]{48}(?![A-Za-z0-9])'),
  { ...shape('json-web-token', ['eyj'], String.raw`eyJ[\w.-]{30,}[\w-]`), accepts: hasThreeParts },
  ...ofServices,
  {
    kind: 'bearer-token',
    hints: ['earer ', 'EARER '],
    pattern: /(?=[\w.~+/-])(?<=bearer +)[\w.~+/-]{20,}=*/gi,
    accepts: (found) => hasDigit(found) && !isFiller(found) && !isWordlike(found),
  },
];

/** Digits, and letters of both cases: random text, unlike names and numbers. */
function isMixed(found: string): boolean {
  return hasDigit(found) && /[a-z]/.test(found) && /[A-Z]/.test(found) && entropyOf(found) >= 4 && !isWordlike(found);
}

/** The shortest key has 20 signs, its last ones may be cut off by an escape. */
const shortestRun = 18;
const isKeySign = new Uint8Array(128);
for (const sign of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.~+/=:|%-')
  isKeySign[sign.charCodeAt(0)] = 1;

/** The long words of a text, which alone can be keys: so that a hundred hints are looked for in little text. */
function runsOf(text: string): string {
  const runs: string[] = [];
  let start = 0;
  for (let at = 0; at <= text.length; at += 1) {
    if (isKeySign[text.charCodeAt(at)] === 1) continue;
    if (at - start >= shortestRun) runs.push(text.slice(start, at));
    start = at + 1;
  }
  return runs.join('\n');
}

/** Their hints are two words, which stand in the text as they are. */
const withPhrase = secretShapes.filter(({ hints }) => hints.some((hint) => hint.includes(' ')));

/** The text with every secret replaced, and the kinds of what was replaced. */
export function hideSecrets(input: string, mask: Mask = plainMask): HiddenText {
  // Names and short words, of which a log has most.
  if (input.length < shortestRun) return { text: input, kinds: [] };
  let text = input;
  const kinds: string[] = [];
  const small = runsOf(input).toLowerCase();
  for (const { kind, hints, pattern, accepts } of small === '' ? withPhrase : secretShapes) {
    if (!hints.some((hint) => (hint.includes(' ') ? input : small).includes(hint))) continue;
    text = text.replace(pattern, (found) => {
      if (found.startsWith('[redacted:') || accepts?.(found) === false) return found;
      kinds.push(kind);
      return mask(kind, found);
    });
  }
  return { text, kinds };
}
