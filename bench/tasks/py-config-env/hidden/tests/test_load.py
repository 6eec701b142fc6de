from config.load import load_config


def test_defaults():
    assert load_config()["database"]["port"] == 5432


def test_file_overrides_defaults():
    config = load_config('{"database": {"host": "db1"}}')
    assert config["database"] == {"host": "db1", "port": 5432, "pool_size": 5}


def test_environment_overrides_file():
    config = load_config(
        '{"database": {"pool_size": 7}}',
        {"APP_DATABASE__POOL_SIZE": "20", "APP_DEBUG": "true", "HOME": "/root"},
    )
    assert config["database"]["pool_size"] == 20
    assert config["debug"] is True
