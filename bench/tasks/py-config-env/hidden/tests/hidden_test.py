from config.env import settings_from
from config.load import load_config


def test_single_underscores_belong_to_the_name():
    assert settings_from({"APP_LOG_FILE": "a.log"}) == {"log_file": "a.log"}


def test_two_levels_down():
    assert settings_from({"APP_A__B_C__D": "1"}) == {"a": {"b_c": {"d": 1}}}


def test_siblings_share_their_parent():
    config = load_config(environ={"APP_DATABASE__HOST": "x", "APP_DATABASE__PORT": "1"})
    assert config["database"] == {"host": "x", "port": 1, "pool_size": 5}


def test_values():
    assert settings_from({"APP_X": "False", "APP_Y": "1.5", "OTHER": "1"}) == {
        "x": False,
        "y": "1.5",
    }
