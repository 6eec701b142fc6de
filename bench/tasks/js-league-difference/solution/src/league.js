/** The columns of the table after the team: heading, width and what stands in a row. */
const COLUMNS = [
  { heading: 'P', width: 3, cell: (row) => row.played },
  { heading: 'W', width: 4, cell: (row) => row.won },
  { heading: 'D', width: 4, cell: (row) => row.drawn },
  { heading: 'L', width: 4, cell: (row) => row.lost },
  { heading: 'GD', width: 5, cell: (row) => (row.difference > 0 ? `+${row.difference}` : row.difference) },
  { heading: 'Pts', width: 5, cell: (row) => row.points },
];

const TEAM_WIDTH = 10;

/**
 * The rows of the league, the best team first.
 *
 * @param {{ home: string, away: string, goals: [number, number] }[]} matches
 */
export function standings(matches) {
  const rows = new Map();

  function count(team, scored, conceded) {
    if (!rows.has(team)) rows.set(team, { team, played: 0, won: 0, drawn: 0, lost: 0, difference: 0, points: 0 });
    const row = rows.get(team);
    row.played += 1;
    row.difference += scored - conceded;
    if (scored > conceded) {
      row.won += 1;
      row.points += 3;
    } else if (scored === conceded) {
      row.drawn += 1;
      row.points += 1;
    } else {
      row.lost += 1;
    }
  }

  for (const { home, away, goals } of matches) {
    count(home, goals[0], goals[1]);
    count(away, goals[1], goals[0]);
  }
  return [...rows.values()].sort(
    (a, b) => b.points - a.points || b.difference - a.difference || a.team.localeCompare(b.team),
  );
}

/** The rows as text, one line each below a heading. */
export function formatTable(rows) {
  const heading = 'Team'.padEnd(TEAM_WIDTH) + COLUMNS.map(({ heading, width }) => heading.padStart(width)).join('');
  const lines = rows.map((row) => {
    const cells = COLUMNS.map(({ cell, width }) => String(cell(row)).padStart(width));
    return row.team.padEnd(TEAM_WIDTH) + cells.join('');
  });
  return [heading, ...lines].join('\n');
}
