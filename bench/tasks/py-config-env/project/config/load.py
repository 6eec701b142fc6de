"""The one way to get the settings of the application."""

import json

from config.defaults import DEFAULTS
from config.env import settings_from
from config.merge import merge


def load_config(file_text="{}", environ=None):
    """Return the settings: defaults, then the file (JSON), then the environment."""
    settings = merge(DEFAULTS, json.loads(file_text))
    return merge(settings, settings_from(environ or {}))
