/** What a kind of secret looks like in any text. */
export interface SecretShape {
  readonly kind: string;
  /** A text without any of these cannot hold the secret. A cheap test before the pattern runs. */
  readonly hints: readonly string[];
  /** Must run in linear time on any text, because it reads what commands print. A test measures it. */
  readonly pattern: RegExp;
  /** A further condition on a match. A lookahead in the pattern would read a long text again and again. */
  readonly accepts?: (found: string) => boolean;
}

/** Where a key may begin: not after a letter, digit or underscore, except after an escape, as in JSON. */
const edge = String.raw`(?:(?<![A-Za-z0-9_])|(?<=\\[nrtbf]))`;

function shape(kind: string, hints: readonly string[], body: string): SecretShape {
  return { kind, hints, pattern: new RegExp(edge + body, 'g') };
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

/** Keys and tokens that their form alone identifies. */
export const secretShapes: readonly SecretShape[] = [
  {
    // A key without its end line reaches up to the next key.
    kind: 'private-key',
    hints: ['PRIVATE KEY-----'],
    pattern:
      /-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY-----[\s\S]{0,16384}?(?:-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY-----|(?=-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY-----)|$)/g,
  },
  shape('anthropic-key', ['sk-ant-'], String.raw`sk-ant-[\w-]{16,}`),
  { ...shape('openai-key', ['sk-'], 'sk-(?!ant-)[A-Za-z0-9_-]{20,}'), accepts: hasDigit },
  shape('github-token', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], 'gh[pousr]_[A-Za-z0-9]{20,}'),
  shape('github-token', ['github_pat_'], 'github_pat_[A-Za-z0-9_]{20,}'),
  shape('gitlab-token', ['glpat-'], String.raw`glpat-[\w-]{20,}`),
  shape('aws-key', ['AKIA', 'ASIA'], String.raw`(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])`),
  shape('google-key', ['AIza'], String.raw`AIza[\w-]{35}`),
  shape('slack-token', ['xox'], 'xox[abeoprs]-[A-Za-z0-9-]{10,}'),
  shape('npm-token', ['npm_'], 'npm_[A-Za-z0-9]{30,}'),
  shape('hugging-face-token', ['hf_'], 'hf_[A-Za-z0-9]{30,}'),
  shape('stripe-key', ['_live_'], '[rs]k_live_[A-Za-z0-9]{16,}'),
  { ...shape('json-web-token', ['eyJ'], String.raw`eyJ[\w.-]{30,}[\w-]`), accepts: hasThreeParts },
  {
    kind: 'bearer-token',
    hints: ['earer ', 'EARER '],
    pattern: /(?=[\w.~+/-])(?<=bearer +)[\w.~+/-]{20,}=*/gi,
    accepts: hasDigit,
  },
];

/**
 * Values that a settings file (`.env`) gives to a name that sounds like a secret, and passwords in addresses. These
 * find more than those for the log, and are used only on what leaves the machine.
 */
export const assignedShapes: readonly SecretShape[] = [
  {
    kind: 'assigned-secret',
    hints: ['=', ':'],
    pattern:
      /(?<=\b[a-z0-9_-]{0,40}(?:secret|passw(?:or)?d|passwd|token|api_?-?key|access_?-?key|private_?-?key|credential)[a-z0-9_-]{0,20}\\?["']?\s{0,3}[:=]\s{0,3}\\?["']?)(?=[^\s"'\\]{0,512}\d)(?=[^\s"'\\]{0,512}[a-z])[\w+/.~!@#$%^&*-]{10,512}=*/gi,
  },
  {
    kind: 'password-in-address',
    hints: ['://'],
    pattern: /(?<=\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/"']{1,128}:)(?!\$)[^\s@/"']{4,128}(?=@)/gi,
  },
];

/** The text with every secret of these shapes replaced by a label, and the number of secrets. */
export function hideSecrets(
  input: string,
  shapes: readonly SecretShape[],
): { readonly text: string; readonly kinds: readonly string[] } {
  let text = input;
  const kinds: string[] = [];
  for (const { kind, hints, pattern, accepts } of shapes) {
    if (!hints.some((hint) => text.includes(hint))) continue;
    text = text.replace(pattern, (found) => {
      if (found.startsWith('[redacted:') || accepts?.(found) === false) return found;
      kinds.push(kind);
      return `[redacted:${kind}]`;
    });
  }
  return { text, kinds };
}
