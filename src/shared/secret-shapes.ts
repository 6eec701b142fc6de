/** What a secret looks like, wherever it stands. */
export interface SecretShape {
  readonly kind: string;
  /** A text without any of these cannot hold the secret: a cheap test before the expression runs. */
  readonly hints: readonly string[];
  readonly pattern: RegExp;
}

/** Where a key may begin: at no letter or digit, or after an escape, as in JSON. */
const edge = String.raw`(?:(?<![A-Za-z0-9_])|(?<=\\[nrtbf]))`;

function shape(kind: string, hints: readonly string[], body: string): SecretShape {
  return { kind, hints, pattern: new RegExp(edge + body, 'g') };
}

/** Keys and tokens that are one by their look alone. */
export const secretShapes: readonly SecretShape[] = [
  {
    kind: 'private-key',
    hints: ['PRIVATE KEY-----'],
    pattern:
      /-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY-----[\s\S]{0,16384}?(?:-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY-----|$)/g,
  },
  shape('anthropic-key', ['sk-ant-'], String.raw`sk-ant-[\w-]{16,}`),
  shape('openai-key', ['sk-'], String.raw`sk-(?!ant-)(?=[\w-]*\d)[A-Za-z0-9_-]{20,}`),
  shape('github-token', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], 'gh[pousr]_[A-Za-z0-9]{20,}'),
  shape('github-token', ['github_pat_'], 'github_pat_[A-Za-z0-9_]{20,}'),
  shape('gitlab-token', ['glpat-'], String.raw`glpat-[\w-]{20,}`),
  shape('aws-key', ['AKIA', 'ASIA'], String.raw`(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])`),
  shape('google-key', ['AIza'], String.raw`AIza[\w-]{35}`),
  shape('slack-token', ['xox'], 'xox[abeoprs]-[A-Za-z0-9-]{10,}'),
  shape('npm-token', ['npm_'], 'npm_[A-Za-z0-9]{30,}'),
  shape('hugging-face-token', ['hf_'], 'hf_[A-Za-z0-9]{30,}'),
  shape('stripe-key', ['_live_'], '[rs]k_live_[A-Za-z0-9]{16,}'),
  shape('json-web-token', ['eyJ'], String.raw`eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}`),
  { kind: 'bearer-token', hints: ['earer ', 'EARER '], pattern: /(?<=bearer +)(?=[\w.~+/-]*\d)[\w.~+/-]{20,}=*/gi },
];

/**
 * Values that a file of settings (`.env`) gives to a name that says what they are, and passwords inside addresses. More
 * is taken for a secret here than in a log: only what leaves the machine is looked through with these.
 */
export const assignedShapes: readonly SecretShape[] = [
  {
    kind: 'assigned-secret',
    hints: ['=', ':'],
    pattern:
      /(?<=\b[a-z0-9_-]{0,40}(?:secret|passw(?:or)?d|passwd|token|api_?-?key|access_?-?key|private_?-?key|credential)[a-z0-9_-]{0,20}\\?["']?\s{0,3}[:=]\s{0,3}\\?["']?)(?=[^\s"'\\]*\d)(?=[^\s"'\\]*[a-z])[\w+/.~!@#$%^&*-]{10,512}=*/gi,
  },
  {
    kind: 'password-in-address',
    hints: ['://'],
    pattern: /(?<=\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/"']{1,128}:)(?!\$)[^\s@/"']{4,128}(?=@)/gi,
  },
];

/** A text with every secret of these shapes replaced by a word for it, and how many there were. */
export function hideSecrets(
  input: string,
  shapes: readonly SecretShape[],
): { readonly text: string; readonly kinds: readonly string[] } {
  let text = input;
  const kinds: string[] = [];
  for (const { kind, hints, pattern } of shapes) {
    if (!hints.some((hint) => text.includes(hint))) continue;
    text = text.replace(pattern, (found) => {
      if (found.startsWith('[redacted:')) return found;
      kinds.push(kind);
      return `[redacted:${kind}]`;
    });
  }
  return { text, kinds };
}
