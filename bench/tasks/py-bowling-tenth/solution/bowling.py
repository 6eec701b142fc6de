"""Scores of ten-pin bowling, and the board above the lane."""

from itertools import accumulate

PINS = 10
FRAMES = 10


def frame_scores(rolls):
    """Return the score of each frame of a game, in order.

    `rolls` has the pins of each roll so far. A game has ten frames. A spare
    also counts the next roll, a strike the next two; in the tenth frame these
    are rolled in addition and belong to it. A frame whose score is not known
    yet, because a roll that counts for it is still to come, is left out.
    """
    scores = []
    first = 0
    while first < len(rolls) and len(scores) < FRAMES:
        strike = rolls[first] == PINS
        spare = not strike and sum(rolls[first : first + 2]) == PINS
        counted = rolls[first : first + 3] if strike or spare else rolls[first : first + 2]
        if len(counted) < (3 if strike or spare else 2):
            break
        scores.append(sum(counted))
        first += 1 if strike else 2
    return scores


def score(rolls):
    """Return the score so far."""
    return sum(frame_scores(rolls))


def is_over(rolls):
    """Tell whether the last frame has been rolled."""
    return len(frame_scores(rolls)) == FRAMES


def board_line(name, rolls):
    """Return "name: sums after each frame", with a "*" at the end of a game that is over."""
    sums = " ".join(str(total) for total in accumulate(frame_scores(rolls)))
    return f"{name}: {sums}{' *' if is_over(rolls) else ''}"
