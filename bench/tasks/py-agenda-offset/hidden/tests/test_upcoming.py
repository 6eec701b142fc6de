from agenda.upcoming import agenda

NOW = "2024-03-10T07:00"


def meeting(title, start):
    return {"title": title, "start": start}


def test_earliest_first():
    meetings = [meeting("Review", "2024-03-10T15:30"), meeting("Stand-up", "2024-03-10T09:00")]
    assert agenda(meetings, NOW) == ["10.03. 09:00 Stand-up", "10.03. 15:30 Review"]


def test_what_has_begun_is_left_out():
    assert agenda([meeting("Breakfast", "2024-03-10T07:00"), meeting("Run", "2024-03-09T08:00")], NOW) == []


def test_meeting_of_the_berlin_office():
    meetings = [meeting("Stand-up", "2024-03-10T09:00"), meeting("Planning", "2024-03-10T09:30+01:00")]
    assert agenda(meetings, NOW) == ["10.03. 08:30 Planning", "10.03. 09:00 Stand-up"]
