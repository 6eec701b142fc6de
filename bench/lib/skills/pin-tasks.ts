import type { SkillTask } from './skill-task.ts';

/** A function that has no tests, and slips of it that tests have to notice. */
interface Untested {
  readonly name: string;
  readonly module: string;
  readonly source: string;
  readonly slips: readonly (readonly [find: string, replace: string])[];
}

const functions: readonly Untested[] = [
  {
    name: 'shipping_cost',
    module: 'shop',
    source:
      'def shipping_cost(weight, country="NO"):\n    if weight <= 0:\n        raise ValueError("weight")\n    cost = 49 if weight < 2 else 99\n    if country != "NO":\n        cost += 60\n    return cost\n',
    slips: [
      ['weight < 2', 'weight < 5'],
      ['cost += 60', 'cost += 50'],
      ['raise ValueError("weight")', 'return 0'],
    ],
  },
  {
    name: 'grade',
    module: 'school',
    source:
      'def grade(points):\n    if points >= 90:\n        return "A"\n    if points >= 75:\n        return "B"\n    if points >= 50:\n        return "C"\n    return "F"\n',
    slips: [
      ['>= 75', '> 75'],
      ['>= 50', '>= 40'],
      ['"F"', '"D"'],
    ],
  },
  {
    name: 'initials',
    module: 'names',
    source:
      'def initials(name):\n    parts = [part for part in name.replace("-", " ").split() if part]\n    return "".join(part[0].upper() for part in parts)[:3]\n',
    slips: [
      ['.replace("-", " ")', ''],
      ['.upper()', ''],
      ['[:3]', '[:2]'],
    ],
  },
  {
    name: 'parse_size',
    module: 'sizes',
    source:
      'UNITS = {"B": 1, "KB": 1000, "MB": 1000000}\n\n\ndef parse_size(text):\n    text = text.strip().upper()\n    number = "".join(c for c in text if c.isdigit() or c == ".")\n    unit = text[len(number):].strip() or "B"\n    return int(float(number) * UNITS[unit])\n',
    slips: [
      ['.upper()', ''],
      ['"MB": 1000000', '"MB": 1048576'],
      ['or "B"', 'or "KB"'],
    ],
  },
  {
    name: 'leap',
    module: 'dates',
    source:
      'def leap(year):\n    if year % 400 == 0:\n        return True\n    if year % 100 == 0:\n        return False\n    return year % 4 == 0\n',
    slips: [
      ['year % 400 == 0', 'year % 500 == 0'],
      ['return False', 'return True'],
      ['year % 4 == 0', 'year % 2 == 0'],
    ],
  },
  {
    name: 'slug',
    module: 'text',
    source:
      'import re\n\n\ndef slug(title):\n    text = re.sub(r"[^a-z0-9]+", "-", title.lower())\n    return text.strip("-") or "untitled"\n',
    slips: [
      ['.lower()', ''],
      ['.strip("-")', ''],
      ['or "untitled"', ''],
    ],
  },
  {
    name: 'split_bill',
    module: 'bill',
    source:
      'def split_bill(cents, people):\n    if people < 1:\n        raise ValueError("people")\n    share, rest = divmod(cents, people)\n    return [share + 1] * rest + [share] * (people - rest)\n',
    slips: [
      ['share + 1', 'share'],
      ['people < 1', 'people < 0'],
      ['* (people - rest)', '* people'],
    ],
  },
  {
    name: 'discount',
    module: 'prices',
    source:
      'def discount(total, code=None):\n    rate = {"SPRING": 10, "VIP": 25}.get(code, 0)\n    if total >= 1000:\n        rate += 5\n    return round(total * (100 - rate) / 100, 2)\n',
    slips: [
      ['"VIP": 25', '"VIP": 20'],
      ['rate += 5', 'rate = 5'],
      ['total >= 1000', 'total >= 2000'],
    ],
  },
  {
    name: 'roman',
    module: 'numerals',
    source:
      'STEPS = [(10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")]\n\n\ndef roman(number):\n    out = ""\n    for value, sign in STEPS:\n        while number >= value:\n            out += sign\n            number -= value\n    return out\n',
    slips: [
      ['(9, "IX"), ', ''],
      ['(4, "IV"), ', ''],
      ['"V"', '"L"'],
    ],
  },
  {
    name: 'mask',
    module: 'cards',
    source:
      'def mask(number):\n    digits = [c for c in number if c.isdigit()]\n    if len(digits) < 8:\n        return "invalid"\n    return "*" * (len(digits) - 4) + "".join(digits[-4:])\n',
    slips: [
      ['digits[-4:]', 'digits[:4]'],
      ['return "invalid"', 'return ""'],
      ['len(digits) - 4', '4'],
    ],
  },
  {
    name: 'wind',
    module: 'weather',
    source:
      'def wind(speed):\n    if speed < 0.3:\n        return 0\n    for force, limit in enumerate([1.6, 3.4, 5.5, 8.0], start=1):\n        if speed < limit:\n            return force\n    return 5\n',
    slips: [
      ['start=1', 'start=0'],
      ['return 5', 'return 6'],
      ['3.4', '4.4'],
    ],
  },
  {
    name: 'merge',
    module: 'spans',
    source:
      'def merge(spans):\n    out = []\n    for start, end in sorted(spans):\n        if out and start <= out[-1][1]:\n            out[-1] = (out[-1][0], max(end, out[-1][1]))\n        else:\n            out.append((start, end))\n    return out\n',
    slips: [
      ['start <= out', 'start < out'],
      ['max(end, out[-1][1])', 'end'],
      ['sorted(spans)', 'spans'],
    ],
  },
  {
    name: 'wrap',
    module: 'lines',
    source:
      'def wrap(text, width):\n    lines, line = [], ""\n    for word in text.split():\n        if line and len(line) + 1 + len(word) > width:\n            lines.append(line)\n            line = word\n        else:\n            line = f"{line} {word}".strip()\n    return lines + ([line] if line else [])\n',
    slips: [
      ['> width', '>= width'],
      ['+ 1 + len', '+ len'],
      ['lines + ([line] if line else [])', 'lines'],
    ],
  },
  {
    name: 'version_key',
    module: 'versions',
    source:
      'def version_key(text):\n    main, _, label = text.lstrip("v").partition("-")\n    numbers = [int(part) for part in main.split(".")]\n    numbers += [0] * (3 - len(numbers))\n    return (*numbers, label == "")\n',
    slips: [
      ['.lstrip("v")', ''],
      ['(3 - len(numbers))', '(2 - len(numbers))'],
      ['label == ""', 'label != ""'],
    ],
  },
  {
    name: 'median',
    module: 'stats',
    source:
      'def median(values):\n    if not values:\n        return None\n    ordered = sorted(values)\n    middle = len(ordered) // 2\n    if len(ordered) % 2 == 1:\n        return ordered[middle]\n    return (ordered[middle - 1] + ordered[middle]) / 2\n',
    slips: [
      ['return None', 'return 0'],
      ['sorted(values)', 'values'],
      ['(ordered[middle - 1] + ordered[middle]) / 2', 'ordered[middle]'],
    ],
  },
  {
    name: 'fare',
    module: 'tickets',
    source:
      'def fare(age, zones, return_trip=False):\n    price = 30 + 12 * (zones - 1)\n    if age < 6:\n        price = 0\n    elif age < 18 or age >= 67:\n        price //= 2\n    return price * 2 if return_trip else price\n',
    slips: [
      ['age < 6', 'age < 12'],
      ['age >= 67', 'age >= 70'],
      ['price * 2', 'price * 3'],
    ],
  },
];

const wordings: readonly ((of: Untested) => string)[] = [
  ({ name, module }) =>
    `Write pytest tests for ${name} in ${module}.py into test_${module}.py. They should record how it behaves now.`,
  ({ name, module }) =>
    `${module}.py has no tests. Add test_${module}.py with tests of ${name}, so that a later change that alters its behavior is noticed.`,
];

export const pinTasks: readonly SkillTask[] = functions.map((one, index) => {
  const { name, module, source, slips } = one;
  const command = `python3 -m pytest -q -x test_${module}.py`;
  return {
    id: `pin-${name.replaceAll('_', '-')}`,
    skill: 'pin-behavior',
    prompt: (wordings[index % wordings.length] ?? wordings[0])?.(one) ?? '',
    files: { [`${module}.py`]: source },
    judge: async ({ read, run }) => {
      if ((await read(`test_${module}.py`)) === null) return `test_${module}.py is missing`;
      if ((await read(`${module}.py`)) !== source) return `${module}.py was changed`;
      if ((await run(command)) !== 0) return 'the tests fail on the code as it is';
      let noticed = 0;
      for (const [find, replace] of slips)
        if ((await run(command, { [`${module}.py`]: source.replace(find, () => replace) })) === 1) noticed += 1;
      return noticed >= 2 ? null : `${noticed} of ${slips.length} slips are noticed`;
    },
  };
});
