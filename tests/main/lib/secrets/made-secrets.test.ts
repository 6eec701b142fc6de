import { describe, expect, it } from 'vitest';
import { hideAssigned } from '../../../../src/main/safety/assigned-secrets.ts';
import { hideSecrets } from '../../../../src/main/lib/secrets/secret-patterns.ts';
import { sampled } from '../../../fakes/sampled.ts';
import { madeSecrets } from '../../../fakes/made-secrets.ts';

/** Catches: a secret of a usual form that a cloud model is shown, and code that is hidden from it. */
const shown = (text: string): string => hideAssigned(hideSecrets(text).text).text;

const seeds = sampled(200, 20);

describe('the redactor', () => {
  it('hides all generated secrets', () => {
    const missed = new Set<string>();
    for (let seed = 1; seed <= seeds; seed += 1) {
      const all = madeSecrets(seed);
      expect(new Set(all.map(({ kind }) => kind)).size).toBeGreaterThan(150);
      for (const { kind, text, secret } of all) if (shown(text).includes(secret)) missed.add(`${kind}: ${text}`);
    }
    expect([...missed].slice(0, 60)).toEqual([]);
  });
});

describe('the redactor with a text that is no secret', () => {
  it.each([
    'token_hash = hashlib.sha256(token.encode()).hexdigest()',
    'password = get_password(user1)',
    'const token = await fetchToken(id2);',
    'secret = config.secrets[0].value1',
    'access_token=\nnext_line1 = 2',
    'let passwordHash = "5f4dcc3b5aa765d61d8327deb882cf99";',
    '"integrity": "sha512-oIRKYDDR7XlCEQEfLkIrgGNbFyHnjPB6wjSH8ZAEqAVzKxkO6S0Tgi5ZwKEtAPMdaXE2Dz0gd3DyaXEsvNtzeQ=="',
    '"id": "3f2504e0-4f89-11d3-9a0c-0305e82c3301", "tokenId": "3f2504e0-4f89-11d3-9a0c-0305e82c3301"',
    'commit 4f3c2b1a0f4f3c2b1a0f4f3c2b1a0f4f3c2b1a0f',
    '"auth.password.reset2fa": "Reset the password and the second factor"',
    '"password": "Password must be at least 8 characters"',
    '<input type="password" name="password" class="px-2 py-1 w-1/2 text-sm/6 md:grid-cols-2" id="password1">',
    'background: url(data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==)',
    'const tokenTypes = { KEYWORD1: "keyword.control2", STRING1: "string.quoted2" };',
    'API_KEY=${API_KEY_2}\nPASSWORD=$(cat /run/secrets/db1)\nTOKEN="$TOKEN1"',
    'api_key = os.environ["API_KEY_2"]',
    'password: process.env.DB_PASSWORD1,',
    'password: {{ vault_db_password1 }}',
    'token: <your-token-1>',
    'secretName: my-app-secret-v2',
    'type Token = { kind: TokenKind1; password?: Sha256Digest }',
    'if (token === TokenType.Number1 || key == Keys.F12) return',
    'def check_password(password: str = DEFAULT_PASSWORD_1) -> bool:',
    'https://user:password@example.com and http://name:port@host',
    'for (const key1 of keys2) secret[key1] = value2;',
    'X509_SIG = X509_sig_st',
    'MovedAttribute("HTTPPasswordMgr", "urllib2", "urllib.request")',
    'names = ["password", "sha256sum", "token", "base64url2"]',
    'https://joe:smith@other.net/blam and uri://user:passing@host',
    'alias: `${alias}$${index}`, ownPass: !!ownPass',
    '{"AWS::ApiGateway::ApiKey": "48205d4ffd7feba3", "/src/secret-patterns.ts": "4771b7c71f66039916bdeba79268903705f3e817"}',
    'public_key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl"',
    'sk-circle-fade-dot1 sk-folding-cube2 sk-three-bounce-child3',
    'self.token_url = f"{base}/oauth2/token"',
    '-----BEGIN PRIVATE KEY-----\\n${key.data.toString("base64")}\\n-----END PRIVATE KEY-----',
  ])('leaves it unchanged: %s', (text) => {
    expect(shown(text)).toBe(text);
  });
});
