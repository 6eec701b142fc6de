from slugs import slugify, unique_slug


def test_simple_title():
    assert slugify("Ten Easy Soups!") == "ten-easy-soups"


def test_accents_are_removed():
    assert slugify("Crème Brûlée") == "creme-brulee"


def test_taken_slug_gets_a_number():
    assert unique_slug("Soup", {"soup", "soup-2"}) == "soup-3"
