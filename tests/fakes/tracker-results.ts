/** Results in the shapes of issue trackers and data services, with the fields that those really have. */

const words = 'parser cache window upload login search export timeout retry index queue webhook'.split(' ');

function wordAt(at: number): string {
  return words[at % words.length] ?? '';
}

function prose(at: number, length: number): string {
  let text = '';
  for (let step = 0; text.length < length; step += 1)
    text += `The ${wordAt(at + step)} fails after the ${wordAt(at * 3 + step)} of step ${step}. `;
  return text.slice(0, length);
}

function person(id: number) {
  const login = `person-${id % 7}`;
  const at = `https://api.tracker.example.org/users/${login}`;
  return {
    login,
    id: 1_000_000 + id,
    node_id: `MDQ6VXNlcj${id}`,
    avatar_url: `https://avatars.example.org/u/${id}?v=4`,
    gravatar_id: '',
    url: at,
    html_url: `https://tracker.example.org/${login}`,
    followers_url: `${at}/followers`,
    following_url: `${at}/following{/other_user}`,
    gists_url: `${at}/gists{/gist_id}`,
    starred_url: `${at}/starred{/owner}{/repo}`,
    subscriptions_url: `${at}/subscriptions`,
    organizations_url: `${at}/orgs`,
    repos_url: `${at}/repos`,
    events_url: `${at}/events{/privacy}`,
    received_events_url: `${at}/received_events`,
    type: 'User',
    user_view_type: 'public',
    site_admin: false,
  };
}

/** An issue in the shape of a code host's REST interface: about 4 kB, of which a reader needs a few fields. */
function hostedIssue(number: number) {
  const at = `https://api.tracker.example.org/repos/acme/shop/issues/${number}`;
  return {
    url: at,
    repository_url: 'https://api.tracker.example.org/repos/acme/shop',
    labels_url: `${at}/labels{/name}`,
    comments_url: `${at}/comments`,
    events_url: `${at}/events`,
    html_url: `https://tracker.example.org/acme/shop/issues/${number}`,
    id: 2_900_000_000 + number,
    node_id: `I_kwDOAbCdEf${number}`,
    number,
    title: `${wordAt(number)} breaks ${wordAt(number * 5 + 1)} (${number})`,
    user: person(number),
    labels: ['bug', wordAt(number)].map((name, index) => ({
      id: 10 + index,
      node_id: `LA_${index}`,
      url: `${at}/labels/${name}`,
      name,
      color: 'd73a4a',
      default: index === 0,
      description: `Is about ${name}`,
    })),
    state: number % 3 === 0 ? 'closed' : 'open',
    locked: false,
    assignee: number % 2 === 0 ? person(number + 1) : null,
    assignees: number % 2 === 0 ? [person(number + 1)] : [],
    milestone: null,
    comments: number % 9,
    created_at: '2026-03-01T10:00:00Z',
    updated_at: '2026-10-11T12:30:00Z',
    closed_at: null,
    author_association: 'CONTRIBUTOR',
    active_lock_reason: null,
    body: prose(number, 400 + ((number * 271) % 2_600)),
    reactions: {
      url: `${at}/reactions`,
      total_count: number % 4,
      '+1': number % 4,
      '-1': 0,
      laugh: 0,
      hooray: 0,
      confused: 0,
      heart: 0,
      rocket: 0,
      eyes: 0,
    },
    timeline_url: `${at}/timeline`,
    performed_via_github_app: null,
    state_reason: null,
  };
}

export const hostedIssues = (count: number): readonly ReturnType<typeof hostedIssue>[] =>
  Array.from({ length: count }, (_, at) => hostedIssue(at + 1));

/** The same issues in a GraphQL shape: deeply nested, with ids of 19 digits. */
export function graphIssues(count: number): string {
  const nodes = Array.from({ length: count }, (_, at) => ({
    id: `@${at}@`,
    identifier: `SHOP-${at + 1}`,
    title: `${wordAt(at)} breaks ${wordAt(at * 5 + 1)}`,
    description: prose(at, 300 + ((at * 97) % 900)),
    url: `https://linear.example.org/shop/issue/SHOP-${at + 1}`,
    state: { id: `state-${at % 4}`, name: ['Todo', 'Doing', 'Review', 'Done'][at % 4] },
    assignee: { id: `u${at % 5}`, name: `Person ${at % 5}`, email: `p${at % 5}@example.org` },
    labels: { nodes: [{ id: 'l1', name: 'bug' }] },
    children: { nodes: [] },
  }));
  const json = JSON.stringify({
    data: { team: { issues: { nodes, pageInfo: { hasNextPage: true, endCursor: 'c1' } } } },
  });
  // Larger than JavaScript's exact integers.
  return json.replaceAll(/"@(\d+)@"/gu, (_, at: string) => `90071992547409${String(Number(at) + 10_000)}`);
}

export function csvExport(count: number): string {
  const rows = Array.from({ length: count }, (_, at) => {
    const text = prose(at, 60 + ((at * 31) % 400)).replaceAll('.', ',');
    return `${at + 1},"${wordAt(at)} says ""${wordAt(at + 2)}""",2026-01-${String((at % 28) + 1).padStart(2, '0')},"${text}\nmore",${at * 3}`;
  });
  return ['id,title,opened,notes,hours', ...rows].join('\n');
}

export function markdownRows(count: number): string {
  const rows = Array.from({ length: count }, (_, at) => `| ${at + 1} | ${wordAt(at)} | ${prose(at, 80)} | a \\| b |`);
  return ['# Releases', '', '| no | part | notes | mark |', '|---|:--|---|--:|', ...rows, '', 'That is all.'].join(
    '\n',
  );
}
