"""Count the ballots of a club vote."""

from collections import Counter

BLANK = "(blank)"


def tally(ballots, options=()):
    """Return {option: votes}, most votes first, then by name.

    An option of `options` that nobody chose has 0 votes. White space around a
    ballot does not matter; the blank ones are counted as BLANK, which comes
    last and only if there are any.
    """
    counts = Counter({option: 0 for option in options})
    blank = 0
    for ballot in ballots:
        choice = ballot.strip()
        if choice:
            counts[choice] += 1
        else:
            blank += 1
    votes = dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
    if blank:
        votes[BLANK] = blank
    return votes


def winner(votes):
    """Return the option with the most votes, None if there is none or a tie."""
    ranking = sorted((count for option, count in votes.items() if option != BLANK), reverse=True)
    if not ranking or ranking[0] == 0 or ranking[:1] == ranking[1:2]:
        return None
    return next(option for option, count in votes.items() if option != BLANK and count == ranking[0])


def report(votes):
    """Return the result as text, a line for each option in the order of `votes`.

    The columns are aligned: names to the left, numbers to the right.
    """
    width = max(len(name) for name in ["Choice", *votes])
    valid = sum(count for option, count in votes.items() if option != BLANK)
    lines = [f"{'Choice':<{width}}  Votes   Share"]
    for option, count in votes.items():
        share = f"{count / valid:.1%}" if valid and option != BLANK else "-"
        lines.append(f"{option:<{width}}  {count:>5}  {share:>6}")
    return "\n".join(lines)
