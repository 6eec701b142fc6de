import pytest
from routes.planner import NoRoute, shortest_route
from routes.roadmap import RoadMap


@pytest.fixture
def road_map():
    road_map = RoadMap()
    road_map.add_road("A", "B", 4)
    road_map.add_road("B", "C", 3)
    road_map.add_road("A", "C", 9)
    return road_map


def test_shortest(road_map):
    assert shortest_route(road_map, "A", "C") == (7, ["A", "B", "C"])


def test_way_back(road_map):
    assert shortest_route(road_map, "C", "A") == (7, ["C", "B", "A"])


def test_unknown_place(road_map):
    with pytest.raises(NoRoute):
        shortest_route(road_map, "A", "X")
