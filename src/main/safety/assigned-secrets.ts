import { entropyOf, isFiller, isWordlike } from '../lib/secrets/random-text.ts';
import { type HiddenText, type Mask, plainMask } from '../lib/secrets/secret-patterns.ts';
import { serviceValues } from '../lib/secrets/service-keys.ts';

/**
 * Finds values that a text gives to a name that sounds like a secret: in code, settings, headers, addresses and
 * commands. Only on one line, only values that look like a password or like random text, and never code: this decides
 * what a cloud model sees of a file, and a name, a call or a hash that is hidden makes its edits fail.
 */
export function hideAssigned(input: string, mask: Mask = plainMask): HiddenText {
  const found = [...inAssignments(input), ...inForms(input)].sort((left, right) => left.from - right.from);
  const kinds: string[] = [];
  let text = '';
  let end = 0;
  for (const { from, to, kind } of found) {
    if (from < end) continue;
    kinds.push(kind);
    text += input.slice(end, from) + mask(kind, input.slice(from, to));
    end = to;
  }
  return { text: end === 0 ? input : text + input.slice(end), kinds };
}

interface Place {
  readonly from: number;
  readonly to: number;
  readonly kind: string;
}

/** A name with what may stand between it and its value: `"name": `, `name: str = `, `<name>`, `f("name", `. */
const naming =
  /(?<![\w$.])(<|--?)?(?!\$env:)([A-Za-z_$][\w.-]{1,79})(\\?["'`])?(\])?[ \t]{0,8}(?::[ \t]{0,4}[A-Za-z][\w.<>|[\] ?]{0,30}?[ \t]{1,4}(?==[^=>]))?(:=|=>|\?\?|\|\||\?=|={1,3}|[:,>]|[ \t](?=[^\s=:]))[ \t]{0,8}/g;

const opening = /(?:[rbufRBUF]{1,2}|@|\$)?(\\?["'`])/y;
const bare = /[^\s"'`;,<>&|(){}[\]\\]{6,512}/y;
const longestValue = 512;

function* inAssignments(text: string): Generator<Place> {
  for (const match of text.matchAll(naming)) {
    const [whole, lead = '', name = '', closing = '', , separator = ''] = match;
    const strength = strengthOf(name);
    const before = text.slice(Math.max(0, match.index - 2), match.index);
    // A part of a longer name, such as a path or a type: `"AWS::Service::Secret": "…"`, `"src/token.ts": "…"`.
    if (strength === null || (closing !== '' && /[^"'`\\:([{,\s]$|::$/.test(before))) continue;
    const from = match.index + whole.length;
    const said: Said = { text, name, lead, separator, isQuoted: closing !== '', at: match.index, from, strength };
    const place = separator === '>' ? inElement(said) : (inQuotes(said) ?? withoutQuotes(said));
    if (place !== null) yield { ...place, kind: 'assigned-secret' };
  }
}

interface Said {
  readonly text: string;
  readonly name: string;
  /** `<` before the name of an element, dashes before an option. */
  readonly lead: string;
  readonly separator: string;
  readonly isQuoted: boolean;
  readonly at: number;
  readonly from: number;
  readonly strength: Strength;
}

type Range = { readonly from: number; readonly to: number } | null;

/** `<password>…</password>` */
function inElement({ text, lead, from, name, strength }: Said): Range {
  const length = lead === '<' ? text.slice(from, from + longestValue).indexOf('<') : -1;
  if (length < 0) return null;
  const to = from + length;
  const value = text.slice(from, to);
  return !/\s/.test(value) && isSecret(value, name, strength) ? { from, to } : null;
}

function inQuotes({ text, name, separator, isQuoted, lead, at, from, strength }: Said): Range {
  opening.lastIndex = from;
  const [begin, quote] = opening.exec(text) ?? [];
  if (begin === undefined || quote === undefined) return null;
  // A list of names is no assignment: only a quoted name in a call is followed by its value. Words need no quotes.
  if (separator === ',' && !(isQuoted && isSetting(text, at))) return null;
  if (separator.trim() === '' && !lead.startsWith('--') && !isQuoted) return null;
  const start = from + begin.length;
  const length = text.slice(start, start + longestValue).indexOf(quote);
  if (length < 0) return null;
  const to = start + length;
  const value = text.slice(start, to);
  return !/[\s\\]/.test(value) && isSecret(value, name, strength) ? { from: start, to } : null;
}

/** A call that sets or reads something by its name: `setProperty("…"`, `environ.get("…"`, `define('…'`. */
function isSetting(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 60), at);
  return /(?:set|put|define|get|env|prop|conf|header|param|secret|passw|cred|add|with|default)\w{0,20}\(\s{0,4}["'`]$/i.test(
    before,
  );
}

/** A value without quotes: in settings, commands and addresses, never in code. */
function withoutQuotes(said: Said): Range {
  const { text, name, from, strength, isQuoted, separator } = said;
  if (isQuoted || /^(?:\?\?|\|\||={2,3}|,|>|=>)$/.test(separator)) return null;
  bare.lastIndex = from;
  const value = bare.exec(text)?.[0];
  if (value === undefined) return null;
  const to = from + value.length;
  if (/[([{`|)]/.test(text.charAt(to))) return null;
  const how = settingOf(said, to);
  if (how === null || /^\$[\w{(]|^%\w+%$|^[*&!][a-z]/i.test(value)) return null;
  return isSecret(value, name, how === 'plain' ? 'plain' : strength) ? { from, to } : null;
}

/**
 * Where a value stands that needs no quotes. `plain`: a password may be a word there, because the name says that it is a
 * variable of the environment.
 */
function settingOf({ text, name, lead, separator, at, from, strength }: Said, to: number): 'setting' | 'plain' | null {
  if (lead.startsWith('-')) return separator.trim() === '' || separator === '=' ? 'setting' : null;
  const head = text.slice(Math.max(0, at - 200), at);
  const line = head.slice(head.lastIndexOf('\n') + 1);
  // What tools put before a line: a place and a number, or the sign of a diff.
  const before = line.replace(/^(?:[^\s:]{1,120}:)?\d{1,7}[:-] ?|^[-+](?![-+])/, '');
  if (line.length === 200) return inPairs(text, at, to, separator) ? 'setting' : null;
  const after = /^[^\n]{0,120}/.exec(text.slice(to, to + 120))?.[0] ?? '';
  const isEnd = /^[ \t]*(?:#.*|\r)?$/.test(after) || /^[ \t]+(?:\\?$|&&|\\\r?$)/.test(after);
  const isVariable = /^[A-Z][A-Z0-9_]+$/.test(name) && separator === '=' && text.charAt(from - 1) === '=';
  if (isVariable && /^(?:[ \t]*|.*[ \t"'])$/.test(before) && /^[\s"'`;&]|^$/.test(after))
    return strength === 'password' && isEnd && /^\s*(?:export\s+|set\s+|ENV\s+|ARG\s+|-\s+)?$/.test(before)
      ? 'plain'
      : 'setting';
  // A header in quotes: "X-Api-Key: …".
  const quote = before.slice(-1);
  if (separator === ':' && /["'`]/.test(quote) && text.charAt(to) === quote) return 'setting';
  // A file for logins in several lines.
  if (separator.trim() === '' && name === 'password' && /\b(?:machine|login)[ \t]+\S+\s+$/.test(head) && isEnd)
    return 'setting';
  if (separator.trim() === '')
    return /^\s*(?:ENV|ARG|machine\b.*|.*\blogin\s+\S+\s*)\s*$/.test(before) && isEnd ? 'setting' : null;
  if (/^[ \t]*(?:-[ \t]+|\/\/[\w.:/-]{1,100}:)?$/.test(before) && isEnd)
    return isCode(text.slice(from, to), separator, text.charAt(from - 1)) ? null : 'setting';
  return inPairs(text, at, to, separator) ? 'setting' : null;
}

/** `name = value1` may be code as well as a setting. A variable has no signs and ends in one or two digits. */
function isCode(value: string, separator: string, before: string): boolean {
  if (/^[!~+-]*[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+$/.test(value) || /^!+[A-Za-z_$][\w$]*$/.test(value)) return true;
  if (separator === ':' || before !== ' ' || !/^[A-Za-z_$][\w$]*$/.test(value)) return false;
  return (value.match(/\d+/g)?.length ?? 0) <= 1 && (value.length < 20 || isWordlike(value));
}

/** In a query (`?token=…&`), or in a connection string (`Server=…;Password=…;`). */
function inPairs(text: string, at: number, to: number, separator: string): boolean {
  if (separator !== '=' || !/^["'`&;\s#\\<]?$/.test(text.charAt(to))) return false;
  const before =
    text
      .slice(Math.max(0, at - 200), at)
      .split('\n')
      .at(-1) ?? '';
  if (/[?&]$/.test(before) && !before.endsWith('&&')) return /:\/\/|\?[^\s]*$|^&|["'`/]/.test(before);
  return /\b(?:server|host|data source|user(?: ?id)?|uid|database|initial catalog|endpoint|accountname|port|defaultendpointsprotocol|sharedaccesskeyname)=[^;"'`]{1,100};\s?(?:[\w ]{1,30}=[^;"'`]{0,100};\s?){0,9}$/i.test(
    before,
  );
}

type Strength = 'password' | 'key' | 'weak-key' | 'plain';

/** Words at the end of a name that say something about a secret. Their values are no secrets. */
const about = new Set(
  (
    'hash hashes hashed digest checksum id ids name names type types kind file files filename path paths dir folder url urls uri uris ' +
    'endpoint host domain length len size sizes count total ttl timeout interval duration expiry expires expiration date time at ' +
    'label labels hint hints field fields input inputs text message msg error errors err regex regexp pattern patterns format ' +
    'formats policy prefix suffix header headers param params class classname index version algorithm algorithms alg usage used ' +
    'limit limits list status state event title description desc tag tags selector element el node symbol scope scopes ' +
    'color colour icon button link page form view route enabled disabled required visible visibility valid invalid strength min ' +
    'max manager service provider store factory handler placeholder locale translation style styles position char chars column ' +
    'row table schema model mode source target lookup range regexes encoding salt rounds iterations bits alias key_id callback ' +
    'arn arns fn func function method module package plugin option options config regexp test tests spec template templates'
  ).split(' '),
);
const harmless =
  /^(?:public|pub|hash|hashed|digest|checksum|integrity|fingerprint|sha\d*|md5|etag|nonce|next|starting|page|continuation|cursor|csrf|xsrf|i18n|css|color|sort|primary|foreign|cache|partition|shard|object|map|translation|query|site|update|change|lock|sequence|request|idempotency|verification|design)$/;

const keyWords =
  /^(?:api|access|account|private|secret|auth|shared|encryption|encrypt|signing|sign|master|client|service|license|licence|consumer|app|application|storage|deploy|write|admin|functions|host|subscription|server|session|jwt|cookie|hmac)$/;

const servicePatterns = serviceValues.map(([names, value]) => ({
  names: new RegExp(`(?:^|[^a-z])(?:${names})`, 'i'),
  value: new RegExp(`^(?:${value})$`),
}));

/** What kind of secret a name means; null: none. */
function strengthOf(name: string): Strength | null {
  if (!/pass|pwd|secret|token|key|cred|auth|sig$|passphrase/i.test(name)) return null;
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '');
  const last = words.at(-1)?.replace(/\d+$/, '') ?? '';
  if (about.has(last) || words.some((word) => harmless.test(word))) return null;
  if (
    words.some((word) => /^(?:\w*passwords?|\w*passwd|\w*pwd|passphrase|pw|passcode)\d*$/.test(word)) ||
    last === 'pass'
  )
    return 'password';
  if (
    /^(?:\w*apikeys?|\w*secrets?|\w*tokens?|credentials?|\w*secretkey|\w*accesskey|\w*accountkey|authkey|privatekey|\w*sharedaccesskey)$/.test(
      last,
    )
  )
    return last.endsWith('token') || last.endsWith('tokens') ? 'weak-key' : 'key';
  if (
    /^(?:keys?|data)$/.test(last) &&
    words.some((word, index) => index < words.length - 1 && (keyWords.test(word) || /key/.test(word)))
  )
    return 'key';
  if (last === 'key' && /^[A-Z][A-Z0-9_]*_KEY$/.test(name)) return 'weak-key';
  if (/^(?:auth|sig)$/.test(last)) return 'weak-key';
  if (/secret|passw|apikey|accesskey/.test(words.join(''))) return 'weak-key';
  return /key|token/.test(last) && servicePatterns.some(({ names }) => names.test(name)) ? 'weak-key' : null;
}

const uuid = /^\{?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?$/i;

function isSecret(value: string, name: string, strength: Strength): boolean {
  if (value.length < 6 || isFiller(value) || isReference(value)) return false;
  if (strength === 'plain') return !isUsual(value) && /^[\x21-\x7e]+$/.test(value) && !/^[/.~]/.test(value);
  if (strength === 'password') return isPassword(value);
  if (servicePatterns.some((one) => one.value.test(value) && one.names.test(name) && entropyOf(value) >= 2.5))
    return true;
  return isRandom(value, strength) || isMixed(value);
}

/** A password that a machine made: letters of both cases, digits and a sign. */
function isMixed(value: string): boolean {
  const classes = [/[a-z]/, /[A-Z]/, /\d/, /[!#%*+=_@$^&~-]/];
  return value.length >= 8 && classes.every((one) => one.test(value)) && isPassword(value) && /\d.*\d.*\d/.test(value);
}

/** A variable, a call, an address, a path, a hash with its algorithm, or bytes of an image. */
function isReference(value: string): boolean {
  return (
    /\$\{|\{\{|\}\}|^<|>$|^\$\(|%[sdv](?![A-Za-z0-9])|%\(|^%\w+%$|:\/\/|^data:|^[.~]?\/|^(?:sha\d{1,3}|md5|blake\w{1,3})[-:]|^\$\d\w?\$|^\[redacted:|^\[fenced/i.test(
      value,
    ) ||
    /^(?:op|vault|env|ref|arn|urn|ssm|secretsmanager|process|os|import|file|mailto|did|spiffe|keychain|sops|secrets?|vars?|github|config|settings|self|this)[:.]/i.test(
      value,
    )
  );
}

function isPassword(value: string): boolean {
  if (isLongRandom(value)) return true;
  if (value.length > 128 || !/[A-Za-z]/.test(value) || !/[^A-Za-z]/.test(value) || !/^[\x21-\x7e]+$/.test(value))
    return false;
  const isSelector = /^[#.]?[a-z_][\w-]*(?:[.:/[\]][\w-]*)+$/i.test(value);
  if ((isSelector && isWordlike(value)) || isUsual(value) || /^[<#.(]|[({]|\)$/.test(value)) return false;
  // Names of several words, of types, keys and files.
  const isName = /^[A-Za-z]+(?:[-_ .:/][A-Za-z\d]+)+$/.test(value) || /^[a-z]+(?:[A-Z][a-z]+)+\d*$/.test(value);
  if (isName && (isWordlike(value) || !/\d/.test(value))) return false;
  if (/^[A-Za-z]+[-_.:/!?,;]*$/.test(value)) return false;
  return /\d/.test(value) || /[!@#$%^&*+=~]/.test(value.slice(0, -1));
}

/** Long letters of both cases that are no words: about one of fifty random texts of 24 signs has no digit. */
function isLongRandom(value: string): boolean {
  const isBoth = /^[A-Za-z+/]{20,128}={0,2}$/.test(value) && /[a-z]/.test(value) && /[A-Z]/.test(value);
  return isBoth && !isWordlike(value);
}

/** Words that stand for a password in examples and tests, and words of names that have digits in them. */
const usualWords = new Set(
  (
    'pass password passwords passwd passwort passphrase pwd pw word secret secrets test tests testing tester user users username ' +
    'admin administrator root demo fake mock foo bar baz qux my the new old current confirm confirmed confirmation repeat ' +
    'change abc abcd abcdef qwerty asdf xyz letmein guest default hidden wrong bad good correct strong weak some any value ' +
    'string text key keys token tokens api auth access here enter field login hash hashed md sha plain encrypted oauth ' +
    'pbkdf argon scrypt bcrypt base utf http https rsa ed ec ecdsa hmac aes gcm cbc jwt one two three first second third ' +
    'invalid valid super very long short secure safe client server bearer basic private public session refresh id number ' +
    'num hello world postgres postgresql mysql mongo redis rabbitmq oracle dev prod stage staging local localhost null ' +
    'none nil true false undefined empty optional required please account db database app sample random generated unknown ' +
    'top type code data version of for to and or with not is no in at on your our'
  ).split(' '),
);

/** Whether a text is put together from such words alone, whatever digits and signs stand between them. */
function isUsual(value: string): boolean {
  const stem = value
    .slice(0, 80)
    .toLowerCase()
    .replace(/[^a-z]+/g, '');
  const ends = [true];
  for (let at = 1; at <= stem.length; at += 1)
    ends[at] = ends.some((isEnd, from) => isEnd && at - from <= 14 && usualWords.has(stem.slice(from, at)));
  return stem.length < 2 || ends[stem.length] === true;
}

/** Random text of a machine: no words, no number, no hash unless its name says that it is a key. */
function isRandom(value: string, strength: Strength): boolean {
  if (value.length < 12 || !/^[\w+/.~!@#$%^&*=:-]+$/.test(value)) return false;
  if (uuid.test(value)) return strength === 'key';
  if (/^[\d.:-]+$/.test(value) || isWordlike(value) || isUsual(value)) return false;
  if (
    !/[A-Za-z]/.test(value) ||
    !(/\d/.test(value) || (value.length >= 20 && /[a-z]/.test(value) && /[A-Z]/.test(value)))
  )
    return false;
  if (/^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+$/.test(value) && !/\d.*\d.*\d/.test(value)) return false;
  return entropyOf(value) >= (/^[0-9a-f]+$/i.test(value) ? 2.8 : 3.2);
}

/** Other forms that carry a password: each match is the password alone. */
const forms: readonly {
  readonly kind: string;
  readonly pattern: RegExp;
  readonly accepts: (found: string, before: string) => boolean;
}[] = [
  {
    kind: 'password-in-address',
    pattern: /(?<=\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/"'<>`]{0,128}:)[^\s@/"'<>`${}[\](),;\\]{3,128}(?=@[\w[%])/gi,
    // A plain word in the address of a page is an example.
    accepts: (found, before) =>
      !(/\b(?:https?|wss?|uri|ftp):\/\/[^\s/]*$/i.test(before) && /^[A-Za-z]+$/.test(found)) &&
      !isFiller(found) &&
      !isUsual(found) &&
      !/^(?:%[a-z(]|port|\d{1,5}$|\.+$|\*+$)/i.test(found) &&
      !/^\w{0,3}$/.test(found),
  },
  {
    kind: 'basic-auth',
    pattern: /(?<=\bbasic {1,8})[A-Za-z0-9+/]{12,2048}={0,2}/gi,
    accepts: (found) =>
      isLongRandom(found) ||
      (/[A-Z]/.test(found) && /[a-z]/.test(found) && (/\d/.test(found) || found.endsWith('=')) && !isWordlike(found)),
  },
  {
    kind: 'password-of-a-command',
    pattern: /(?<=\b(?:curl|wget|http|https)\b[^\n]{0,200} (?:-u|--user)[ =]["']?[^\s:"'$]{1,64}:)[^\s"'$]{4,128}/g,
    accepts: (found) => !isFiller(found) && !isUsual(found),
  },
  {
    kind: 'password-of-a-command',
    pattern: /(?<=\b(?:mysql|mysqldump|mysqladmin|mariadb|sshpass)\b[^\n]{0,200} -p)[^\s"'$-][^\s"'$]{5,64}/g,
    accepts: (found) => isPassword(found),
  },
  {
    kind: 'password-in-a-query',
    pattern: /(?<=\b(?:identified +by|password) +')[^\s'$]{6,128}(?=')/gi,
    accepts: (found) => isPassword(found),
  },
  {
    kind: 'private-key',
    pattern: /(?<=\bkey-data["']?:[ \t]{0,4}["']?)[A-Za-z0-9+/]{64,}={0,2}/g,
    accepts: () => true,
  },
  {
    // The second attribute of one that names a password: <add key="Password" value="…"/>.
    kind: 'assigned-secret',
    pattern:
      /(?<=\b(?:key|name)=["'](?:[\w.:-]{0,40}(?:password|pwd|secret|apikey|api_key|token))["'] {1,4}value=["'])[^\s"'<>${}]{6,128}(?=["'])/gi,
    accepts: (found) => isPassword(found) || isRandom(found, 'key'),
  },
];

function* inForms(text: string): Generator<Place> {
  for (const { kind, pattern, accepts } of forms) {
    for (const { 0: value, index } of text.matchAll(pattern)) {
      const before = text.slice(Math.max(0, index - 150), index);
      if (!value.startsWith('[redacted:') && accepts(value, before))
        yield { from: index, to: index + value.length, kind };
    }
  }
}
