import { seeded } from '../seeded.ts';
import { type Judge, namesNumber, type SkillTask } from './skill-task.ts';

type Row = Readonly<Record<string, string | number>>;

interface Made {
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
}

function rowsOf(seed: number, count: number, row: (random: () => number, index: number) => Row): Made {
  const random = seeded(seed);
  const rows = Array.from({ length: count }, (_, index) => row(random, index));
  return { columns: Object.keys(rows[0] ?? {}), rows };
}

const pick = <Value>(random: () => number, values: readonly Value[]): Value => {
  const value = values[Math.floor(random() * values.length)];
  if (value === undefined) throw new Error('nothing to pick from');
  return value;
};
const cents = (random: () => number, most: number): number => Math.round(random() * most * 100) / 100;

function separated({ columns, rows }: Made, sign: string): string {
  const cell = (value: string | number | undefined): string => {
    const text = String(value ?? '');
    return text.includes(sign) || text.includes('"') ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return `${[columns, ...rows.map((row) => columns.map((column) => row[column]))]
    .map((cells) => cells.map(cell).join(sign))
    .join('\n')}\n`;
}

const lines = ({ rows }: Made): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

const orders = rowsOf(11, 240, (random, index) => ({
  order_id: 1000 + index,
  customer: pick(random, ['Ada, Ltd.', 'Bell & Sons', 'Cole', 'Dunn "East"', 'Evers']),
  region: pick(random, ['North', 'South', 'East', 'West']),
  status: pick(random, ['paid', 'paid', 'paid', 'returned', 'open']),
  units: 1 + Math.floor(random() * 9),
  amount: cents(random, 300),
}));
const visits = rowsOf(12, 320, (random) => ({
  page: pick(random, ['/home', '/prices', '/docs', '/blog', '/about']),
  country: pick(random, ['NO', 'SE', 'DK', 'FI']),
  seconds: Math.floor(random() * 600),
  device: pick(random, ['phone', 'desktop']),
}));
const sensors = rowsOf(13, 300, (random, index) => ({
  time: `2026-03-${String(1 + (index % 28)).padStart(2, '0')}`,
  station: pick(random, ['Harbor', 'Hill', 'Park']),
  celsius: Math.round((random() * 40 - 10) * 10) / 10,
  humidity: Math.floor(30 + random() * 60),
}));
const people = rowsOf(14, 90, (random, index) => ({
  id: index + 1,
  name: `Person ${index + 1}`,
  team: pick(random, ['Sales', 'Support', 'Build', 'Research']),
  city: pick(random, ['Oslo', 'Bergen', 'Lund']),
  salary: 30_000 + Math.floor(random() * 50) * 1000,
}));
const hours = rowsOf(15, 260, (random) => ({
  person_id: 1 + Math.floor(random() * 90),
  project: pick(random, ['Atlas', 'Boreal', 'Cedar']),
  hours: Math.round(random() * 16) / 2,
}));

const sum = (rows: readonly Row[], column: string): number =>
  Math.round(rows.reduce((total, row) => total + Number(row[column]), 0) * 100) / 100;
const mean = (rows: readonly Row[], column: string): number =>
  Math.round((rows.reduce((total, row) => total + Number(row[column]), 0) / rows.length) * 100) / 100;
const where = (made: Made, column: string, value: string): readonly Row[] =>
  made.rows.filter((row) => row[column] === value);
const by = (made: Made, column: string): readonly (readonly [string, readonly Row[]])[] =>
  [...new Set(made.rows.map((row) => String(row[column])))]
    .sort()
    .map((value) => [value, where(made, column, value)] as const);

const says =
  (wanted: number): Judge =>
  async ({ text }) =>
    namesNumber(text, wanted) ? null : `the answer does not name ${wanted}`;

/** The name that leads by a figure, and no other name in the last line of the answer. */
function saysName(made: Made, column: string, figure: (rows: readonly Row[]) => number): Judge {
  const ranked = by(made, column).toSorted(([, left], [, right]) => figure(right) - figure(left));
  const [wanted = ''] = ranked[0] ?? [];
  const others = ranked.slice(1).map(([name]) => name);
  return async ({ text }) => {
    if (!text.includes(wanted)) return `the answer does not name ${wanted}`;
    const first = Math.min(...others.map((name) => text.indexOf(name)).filter((at) => at >= 0), Infinity);
    return text.indexOf(wanted) < first ? null : 'another name comes first';
  };
}

const sales = { 'sales/orders.csv': separated(orders, ',') };
const traffic = { 'visits.tsv': separated(visits, '\t') };
const weather = { 'readings.csv': separated(sensors, ';') };
const staff = { 'people.csv': separated(people, ','), 'hours.jsonl': lines(hours) };

const sameCells =
  (path: string, wanted: readonly (readonly [string, number])[]): Judge =>
  async ({ read }) => {
    const text = await read(path);
    if (text === null) return `${path} is missing`;
    const cells = text
      .trim()
      .split(/\r?\n/u)
      .slice(1)
      .map((line) => line.split(/[,;\t]/u));
    const isSame =
      cells.length === wanted.length &&
      cells.every(
        ([name, value], at) => name === wanted[at]?.[0] && Math.abs(Number(value) - (wanted[at]?.[1] ?? 0)) < 0.006,
      );
    return isSame ? null : `${path} has other lines`;
  };

const hoursIn = (city: string): number => {
  const ids = new Set(where(people, 'city', city).map(({ id }) => id));
  return sum(
    hours.rows.filter(({ person_id: id }) => id !== undefined && ids.has(id)),
    'hours',
  );
};

const task = (name: string, prompt: string, files: SkillTask['files'], judge: Judge): SkillTask => ({
  id: `tables-${name}`,
  skill: 'tables',
  prompt,
  files,
  judge,
});

export const tableTasks: readonly SkillTask[] = [
  task(
    'region-sum',
    'What is the total amount of the orders of region North in sales/orders.csv?',
    sales,
    says(sum(where(orders, 'region', 'North'), 'amount')),
  ),
  task(
    'returned',
    'How many orders in sales/orders.csv have the status returned?',
    sales,
    says(where(orders, 'status', 'returned').length),
  ),
  task(
    'customer-units',
    'How many units did the customer "Ada, Ltd." order in all? The orders are in sales/orders.csv.',
    sales,
    says(sum(where(orders, 'customer', 'Ada, Ltd.'), 'units')),
  ),
  task(
    'best-region',
    'Which region has the highest total amount in sales/orders.csv?',
    sales,
    saysName(orders, 'region', (rows) => sum(rows, 'amount')),
  ),
  task(
    'region-file',
    'Write a file regions.csv with the columns region and total: the total amount of the orders in sales/orders.csv for each region, sorted by region.',
    sales,
    sameCells(
      'regions.csv',
      by(orders, 'region').map(([name, rows]) => [name, sum(rows, 'amount')]),
    ),
  ),
  task(
    'visits-prices',
    'How many visits of /prices are in visits.tsv?',
    traffic,
    says(where(visits, 'page', '/prices').length),
  ),
  task(
    'visits-mean',
    'What is the average number of seconds of a visit from SE in visits.tsv, to two digits?',
    traffic,
    says(mean(where(visits, 'country', 'SE'), 'seconds')),
  ),
  task(
    'visits-longest',
    'Which page of visits.tsv got the most seconds in total?',
    traffic,
    saysName(visits, 'page', (rows) => sum(rows, 'seconds')),
  ),
  task(
    'visits-phone',
    'How many visits in visits.tsv came from a phone in NO?',
    traffic,
    says(visits.rows.filter(({ device, country }) => device === 'phone' && country === 'NO').length),
  ),
  task(
    'visits-file',
    'Write a file countries.csv with the columns country and visits: how many visits of visits.tsv each country has, sorted by country.',
    traffic,
    sameCells(
      'countries.csv',
      by(visits, 'country').map(([name, rows]) => [name, rows.length]),
    ),
  ),
  task(
    'coldest',
    'What is the lowest temperature that readings.csv has for the station Harbor?',
    weather,
    says(Math.min(...where(sensors, 'station', 'Harbor').map(({ celsius }) => Number(celsius)))),
  ),
  task(
    'humidity',
    'What is the average humidity at the station Hill in readings.csv, to two digits?',
    weather,
    says(mean(where(sensors, 'station', 'Hill'), 'humidity')),
  ),
  task(
    'frost',
    'How many readings in readings.csv are below 0 degrees Celsius?',
    weather,
    says(sensors.rows.filter(({ celsius }) => Number(celsius) < 0).length),
  ),
  task(
    'salary',
    'What is the average salary of the team Support in people.csv, to two digits?',
    staff,
    says(mean(where(people, 'team', 'Support'), 'salary')),
  ),
  task(
    'project-hours',
    'How many hours were worked on the project Boreal in all, by hours.jsonl?',
    staff,
    says(sum(where(hours, 'project', 'Boreal'), 'hours')),
  ),
  task(
    'city-hours',
    'How many hours in all did the people of Oslo work? people.csv has the people, hours.jsonl the hours by person_id.',
    staff,
    says(hoursIn('Oslo')),
  ),
];
