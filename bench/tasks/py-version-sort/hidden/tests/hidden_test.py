from releases import latest, newest_first, version_key


def test_leading_v():
    assert newest_first(["v2.0.1", "10.0", "v9.12.3"]) == ["10.0", "v9.12.3", "v2.0.1"]


def test_patch_numbers():
    assert latest(["1.0.9", "1.0.10", "1.0.2"]) == "1.0.10"


def test_more_parts_are_newer():
    assert newest_first(["1.2", "1.2.1"]) == ["1.2.1", "1.2"]


def test_key_orders_by_number():
    assert version_key("2.100") > version_key("2.99")
    assert version_key("v3.1") == version_key("3.1")
