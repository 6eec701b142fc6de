"""The table at the end of a quiz night."""


def ranking(points):
    """Return (rank, team, points) for every team, the best one first.

    `points` maps teams to their points. Teams with equal points share a
    rank and are listed by name; the ranks after them are left out.
    """
    ordered = sorted(points.items(), key=lambda entry: (-entry[1], entry[0]))
    scores = [score for _, score in ordered]
    return [(scores.index(score) + 1, team, score) for team, score in ordered]


def podium(points):
    """Return the names of all teams with rank 1, 2 or 3."""
    return [team for rank, team, _ in ranking(points) if rank <= 3]


def as_text(points):
    return "\n".join(f"{rank}. {team} ({score})" for rank, team, score in ranking(points))
