import pytest
from routes.planner import NoRoute, shortest_route
from routes.roadmap import RoadMap


def test_one_way_roads_go_one_way():
    road_map = RoadMap()
    road_map.add_road("A", "B", 2, one_way=True)
    assert shortest_route(road_map, "A", "B") == (2, ["A", "B"])
    with pytest.raises(NoRoute):
        shortest_route(road_map, "B", "A")


def test_detour_around_a_one_way_road():
    road_map = RoadMap()
    road_map.add_road("A", "B", 1, one_way=True)
    road_map.add_road("B", "C", 5)
    road_map.add_road("C", "A", 5)
    assert shortest_route(road_map, "B", "A") == (10, ["B", "C", "A"])
    assert shortest_route(road_map, "A", "C") == (5, ["A", "C"])


def test_roads_from_both_ends():
    road_map = RoadMap()
    road_map.add_road("A", "B", 3)
    assert road_map.roads_from("A") == [("B", 3)]
    assert road_map.roads_from("B") == [("A", 3)]
    assert road_map.roads_from("C") == []


def test_start_is_goal():
    assert shortest_route(RoadMap(), "A", "A") == (0, ["A"])
    with pytest.raises(ValueError):
        RoadMap().add_road("A", "B", -1)
