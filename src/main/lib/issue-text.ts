import { z } from 'zod';

/** The parts of zod's issues that the text needs. Issues that arrived over a connection are checked, too. */
const issueSchema = z.object({
  code: z.string(),
  message: z.string(),
  path: z.array(z.union([z.string(), z.number()])).optional(),
  expected: z.string().optional(),
  origin: z.string().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  inclusive: z.boolean().optional(),
  values: z.array(z.unknown()).optional(),
  keys: z.array(z.string()).optional(),
  options: z.array(z.unknown()).optional(),
  errors: z.array(z.array(z.unknown())).optional(),
  divisor: z.number().optional(),
  format: z.string().optional(),
});
type Issue = z.infer<typeof issueSchema>;

/**
 * What is wrong with a value, as a sentence about "it": the schema's own text if it has one, otherwise words for zod's
 * issue.
 */
export function issueText(issue: unknown): string {
  const parsed = issueSchema.safeParse(issue);
  if (!parsed.success) return otherForm;
  return ofZod.test(parsed.data.message) ? words(parsed.data) : parsed.data.message;
}

const ofZod = /^(?:Too (?:small|big)|Invalid |Unrecognized key)/u;

/** All issues, each after its path. `whole` names the value itself; it can be empty. */
export function issuesText(issues: readonly unknown[], whole: string): string {
  return issues
    .slice(0, 5)
    .map((issue) => textAtPlace(issue, whole))
    .join('; ');
}

/** An unknown name stands with its path, `limits.maxStep is unknown`. */
function textAtPlace(issue: unknown, whole: string): string {
  const place = placeOf(issue);
  const { data } = issueSchema.safeParse(issue);
  if (data?.code === 'unrecognized_keys')
    return unknownNames((data.keys ?? []).map((key) => (place === '' ? key : `${place}.${key}`)));
  return [place || whole, issueText(issue)].filter((part) => part !== '').join(': ');
}

function unknownNames(names: readonly string[]): string {
  return `${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} unknown`;
}

function placeOf(issue: unknown): string {
  const parsed = issueSchema.safeParse(issue);
  return parsed.success ? (parsed.data.path ?? []).join('.') : '';
}

function words(issue: Issue): string {
  switch (issue.code) {
    case 'too_small':
      return tooSmall(issue);
    case 'too_big':
      return `it must be ${issue.inclusive === false ? 'below' : 'at most'} ${issue.maximum ?? '?'}${unitOf(issue)}`;
    case 'invalid_type':
      return `it must be ${(issue.expected === undefined ? undefined : kinds.get(issue.expected)) ?? issue.expected ?? 'something else'}`;
    case 'invalid_value':
      return oneOf(issue.values ?? []);
    case 'unrecognized_keys':
      return unknownNames(issue.keys ?? []);
    case 'not_multiple_of':
      return `it must be a multiple of ${issue.divisor ?? '?'}`;
    case 'invalid_union':
      return ofUnion(issue);
    case 'invalid_format':
      return formats.get(issue.format ?? '') ?? otherForm;
    default:
      return otherForm;
  }
}

function oneOf(values: readonly unknown[]): string {
  return `it must be ${values.length > 1 ? 'one of ' : ''}${values.map(String).join(', ')}`;
}

/** What each alternative asks for, if that can be said of the value itself. */
function ofUnion({ options = [], errors = [] }: Issue): string {
  if (options.length > 0) return oneOf(options);
  const asked = errors.map(([first, ...more]) => (more.length === 0 && placeOf(first) === '' ? issueText(first) : ''));
  const isPlain = asked.length > 0 && asked.every((text) => text.startsWith(must));
  return isPlain ? must + [...new Set(asked.map((text) => text.slice(must.length)))].join(', or ') : otherForm;
}

const must = 'it must be ';
const otherForm = 'it has another form than expected';
const formats = new Map([
  ['url', 'it must be an address, such as https://example.com'],
  ['email', 'it must be an email address'],
]);

function tooSmall({ minimum, inclusive, ...issue }: Issue): string {
  if (unitOf(issue) !== '' && minimum === 1) return 'it must not be empty';
  return `it must be ${inclusive === false ? 'above' : 'at least'} ${minimum ?? '?'}${unitOf(issue)}`;
}

/** The unit of something that is counted. */
function unitOf({ origin }: Pick<Issue, 'origin'>): string {
  if (origin === 'string') return ' characters long';
  return origin === 'array' || origin === 'set' ? ' long' : '';
}

const kinds = new Map([
  ['int', 'a whole number'],
  ['number', 'a number'],
  ['string', 'a text'],
  ['boolean', 'true or false'],
  ['object', 'an object'],
  ['record', 'an object'],
  ['array', 'a list'],
]);
