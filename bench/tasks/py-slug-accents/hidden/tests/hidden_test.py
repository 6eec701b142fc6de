import pytest
from slugs import slugify, unique_slug


@pytest.mark.parametrize(
    "title, slug",
    [
        ("Ärger über Öl", "arger-uber-ol"),
        ("Jalapeño & Piñata", "jalapeno-pinata"),
        ("  -- Hello --  ", "hello"),
        ("Cafe\u0301 noir", "cafe-noir"),
        ("!!!", ""),
    ],
)
def test_slugs(title, slug):
    assert slugify(title) == slug


def test_cut_slug_has_no_hyphen_at_its_end():
    assert slugify("abc def", max_length=4) == "abc"


def test_unique():
    assert unique_slug("Crème", {"creme"}) == "creme-2"
