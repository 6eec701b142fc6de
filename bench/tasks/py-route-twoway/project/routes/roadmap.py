"""A map of places and the roads between them."""


class RoadMap:
    def __init__(self):
        self._roads = {}

    def add_road(self, start, end, length, one_way=False):
        """Add a road of that length; it can be used both ways unless it is one-way."""
        if length < 0:
            raise ValueError("a road cannot have a negative length")
        self._roads.setdefault(start, []).append((end, length))
        if one_way:
            self._roads.setdefault(end, []).append((start, length))

    def roads_from(self, place):
        """Return (neighbour, length) of every road that leaves a place."""
        return list(self._roads.get(place, []))
