"""Shortest ways on a road map (Dijkstra)."""

import heapq


class NoRoute(Exception):
    """There is no way between two places."""


def shortest_route(road_map, start, goal):
    """Return (length, places) of the shortest way. Raises NoRoute if there is none."""
    queue = [(0, [start])]
    done = set()
    while queue:
        length, places = heapq.heappop(queue)
        here = places[-1]
        if here == goal:
            return length, places
        if here in done:
            continue
        done.add(here)
        for neighbour, distance in road_map.roads_from(here):
            if neighbour not in done:
                heapq.heappush(queue, (length + distance, [*places, neighbour]))
    raise NoRoute(f"{start} -> {goal}")
