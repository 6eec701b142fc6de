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
});
type Issue = z.infer<typeof issueSchema>;

/**
 * What is wrong with a value, as a sentence about "it": the schema's own text if it has one, otherwise words for zod's
 * issue.
 */
export function issueText(issue: unknown): string {
  const parsed = issueSchema.safeParse(issue);
  if (!parsed.success) return 'it has another form than expected';
  return ofZod.test(parsed.data.message) ? words(parsed.data) : parsed.data.message;
}

const ofZod = /^(?:Too (?:small|big)|Invalid (?:input|option)|Unrecognized key)/u;

/** All issues, each after its path. `whole` names the value itself; it can be empty. */
export function issuesText(issues: readonly unknown[], whole: string): string {
  return issues
    .slice(0, 5)
    .map((issue) => [placeOf(issue) || whole, issueText(issue)].filter((part) => part !== '').join(': '))
    .join('; ');
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
      return `it must be ${(issue.values ?? []).length > 1 ? 'one of ' : ''}${(issue.values ?? []).map(String).join(', ')}`;
    case 'unrecognized_keys':
      return `${(issue.keys ?? []).join(', ')} is unknown`;
    default:
      return issue.message;
  }
}

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
